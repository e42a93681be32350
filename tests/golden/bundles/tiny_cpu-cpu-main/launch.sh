#!/usr/bin/env bash
# Starts the training of this bundle; compiled by vlac, which `vlac run` supervises and the training does not need.
#
#   bash launch.sh [HYDRA_OVERRIDE ...]
#
# Exit status: the trainer's; 3 where this machine cannot run it, 130 after Ctrl-C, 143 after TERM.

set -euo pipefail

# What was compiled for this run.
_name=tiny-cpu
_nodes=1
_entry=bootstrap/train_vla_sft.py
_writes_data=yes
_secrets=()
_of_node=(CUDA_VISIBLE_DEVICES TORCH_DEVICE_BACKEND_AUTOLOAD)
_needed=(VLAC_SPEC_DIR)
_example=''
# What is quoted below is data on purpose.
# shellcheck disable=SC2016
_arguments=('runner.logger.log_path=${oc.env:VLAC_RUN_DIR}')
_ray_options=(--object-store-memory=268435456)
# Called when the variables that the paths refer to are known to be set.
# shellcheck disable=SC2016
_set_paths() {
  _output="$VLAC_SPEC_DIR"/results
  _checkout=''
  _python=''
}

