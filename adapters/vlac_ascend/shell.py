"""Bash that makes CANN visible before anything else runs.

CANN's script reads unset variables and prints; the workers inherit from Ray, so it has to be sourced before
`ray start`. It lies in /usr/local/Ascend/cann or, in older layouts, /usr/local/Ascend/ascend-toolkit; below
~/Ascend where it was installed without root (CANN software installation guide).
"""

SHELL_SETUP = """\
# CANN: the first set_env.sh of this list; nothing to do where it is active already.
vlac_source_cann() {
  local file options=$-
  if [[ -d "${ASCEND_HOME_PATH:-}" ]]; then
    printf 'CANN is active: %s\\n' "$ASCEND_HOME_PATH" >&2
    return 0
  fi
  for file in \\
    "${ASCEND_TOOLKIT_HOME:-/nonexistent}/set_env.sh" \\
    "${ASCEND_TOOLKIT_HOME:-/nonexistent}/../set_env.sh" \\
    /usr/local/Ascend/cann/set_env.sh \\
    /usr/local/Ascend/ascend-toolkit/set_env.sh \\
    "${HOME:-/nonexistent}/Ascend/cann/set_env.sh" \\
    "${HOME:-/nonexistent}/Ascend/ascend-toolkit/set_env.sh"; do
    [[ -r "$file" ]] || continue
    printf 'CANN: sourcing %s\\n' "$file" >&2
    set +eu # the script reads unset variables
    # shellcheck disable=SC1090
    source "$file" >&2
    [[ $options != *e* ]] || set -e
    [[ $options != *u* ]] || set -u
    [[ -n "${ASCEND_HOME_PATH:-}" ]] && return 0
    printf 'error: %s did not set ASCEND_HOME_PATH; is that CANN installation complete?\\n' "$file" >&2
    exit 3
  done
  printf '%s\\n' 'error: no set_env.sh of CANN found under /usr/local/Ascend or ~/Ascend.' \\
    'Source it before, or set ASCEND_TOOLKIT_HOME to the CANN folder that holds it.' >&2
  exit 3
}
vlac_source_cann
"""
