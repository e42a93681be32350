#!/usr/bin/env bash
# Starts the training of this bundle; compiled by vlac, which `vlac run` supervises and the training does not need.
#
#   bash launch.sh [HYDRA_OVERRIDE ...]
#
# Exit status: the trainer's; 3 where this machine cannot run it, 130 after Ctrl-C, 143 after TERM.

# The set-up of backend ascend, before the strict mode: it may read unset variables.
# CANN: the first set_env.sh of this list; nothing to do where it is active already.
vlac_source_cann() {
  local file options=$-
  if [[ -d "${ASCEND_HOME_PATH:-}" ]]; then
    printf 'CANN is active: %s\n' "$ASCEND_HOME_PATH" >&2
    return 0
  fi
  for file in \
    "${ASCEND_TOOLKIT_HOME:-/nonexistent}/set_env.sh" \
    "${ASCEND_TOOLKIT_HOME:-/nonexistent}/../set_env.sh" \
    /usr/local/Ascend/cann/set_env.sh \
    /usr/local/Ascend/ascend-toolkit/set_env.sh \
    "${HOME:-/nonexistent}/Ascend/cann/set_env.sh" \
    "${HOME:-/nonexistent}/Ascend/ascend-toolkit/set_env.sh"; do
    [[ -r "$file" ]] || continue
    printf 'CANN: sourcing %s\n' "$file" >&2
    set +eu # the script reads unset variables
    # shellcheck disable=SC1090
    source "$file" >&2
    [[ $options != *e* ]] || set -e
    [[ $options != *u* ]] || set -u
    [[ -n "${ASCEND_HOME_PATH:-}" ]] && return 0
    printf 'error: %s did not set ASCEND_HOME_PATH; is that CANN installation complete?\n' "$file" >&2
    exit 3
  done
  printf '%s\n' 'error: no set_env.sh of CANN found under /usr/local/Ascend or ~/Ascend.' \
    'Source it before, or set ASCEND_TOOLKIT_HOME to the CANN folder that holds it.' >&2
  exit 3
}
vlac_source_cann

set -euo pipefail

# What was compiled for this run.
_name=pi05-libero10-sft
_nodes=1
_entry=examples/sft/train_vla_sft.py
_writes_data=no
_secrets=()
_of_node=(ASCEND_RT_VISIBLE_DEVICES GLOO_SOCKET_IFNAME HCCL_IF_IP HCCL_SOCKET_IFNAME RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES RLINF_COMM_NET_DEVICES RLINF_NODE_RANK TP_SOCKET_IFNAME)
_needed=()
_example=''
# What is quoted below is data on purpose.
# shellcheck disable=SC2016
_arguments=('runner.logger.log_path=${oc.env:VLAC_RUN_DIR}')
_ray_options=()
# Called when the variables that the paths refer to are known to be set.
# shellcheck disable=SC2016
_set_paths() {
  _output=/workspace/RLinf/results
  _checkout=/workspace/RLinf
  _python=''
}

