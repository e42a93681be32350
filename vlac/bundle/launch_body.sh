# From here on the script is the same in each bundle. Names begin with "_" so that no variable of run.env meets them.

_trainer='' _training_status='' _head='' _scratch='' _tee='' _log=''
unset CDPATH # with it, cd prints the folder that it found

_say() { printf 'launch: %s\n' "$*" >&2; }
_refuse() { # this machine cannot run it
  _say "$@"
  exit 3
}

# --- what must be there before anything starts ---------------------------------------------------------

_check_variables() {
  local name missing=()
  for name in "${_secrets[@]}"; do
    [ -n "${!name:-}" ] || missing+=("$name")
  done
  [ "${#missing[@]}" -eq 0 ] || _refuse "export these secrets first: ${missing[*]}"
  for name in "${_needed[@]}"; do
    [ -n "${!name:-}" ] || missing+=("$name")
  done
  [ "${#missing[@]}" -eq 0 ] || _refuse "export ${missing[*]} first: paths of this run begin with it" \
    "(VLAC_SPEC_DIR is the folder of the spec)"
}

_absolute_spec_dir() {
  [[ " ${_needed[*]} " == *" VLAC_SPEC_DIR "* ]] || return 0
  [ -d "$VLAC_SPEC_DIR" ] || _refuse "VLAC_SPEC_DIR is not a folder: $VLAC_SPEC_DIR"
  VLAC_SPEC_DIR=$(cd -- "$VLAC_SPEC_DIR" && pwd)
  export VLAC_SPEC_DIR
}

_find_checkout() {
  [ -n "$_checkout" ] || return 0
  [ -d "$_checkout" ] || _refuse "rlinf.path is not a folder: $_checkout"
  _checkout=$(cd -- "$_checkout" && pwd)
  export REPO_PATH=$_checkout
  [ -z "$_example" ] || export EMBODIED_PATH=$_checkout/$_example
}

_find_python() {
  local given=${VLAC_PYTHON:-}
  unset VLAC_PYTHON
  if [ -z "$_python" ] && [ -n "$_checkout" ] && [ -x "$_checkout/.venv/bin/python" ]; then
    _python=$_checkout/.venv/bin/python
  elif [ -z "$_python" ] && [ -z "$_checkout" ]; then
    _python=$given
  fi
  _python=${_python:-python}
  command -v -- "$_python" >/dev/null || _refuse "no interpreter $_python; name one with rlinf.python"
}

_entry_path() { # the bundle brings it below bootstrap/, or it is RLinf's own
  case $_entry in
    bootstrap/*) printf '%s\n' "$_bundle/$_entry" ;;
    *) printf '%s\n' "$_checkout/$_entry" ;;
  esac
}

_check_entry() {
  [ -n "$_entry" ] || _refuse "no entry script of RLinf is known for this config; start the training by hand"
  [ -n "$_checkout" ] || [[ $_entry == bootstrap/* ]] || _refuse "$_entry is in an RLinf checkout: write rlinf.path"
  [ -f "$(_entry_path)" ] || _refuse "no entry script $(_entry_path)"
}

_check_nodes() {
  [ "$_nodes" -eq 1 ] || [ -n "${RAY_ADDRESS:-}" ] || _refuse "this run needs $_nodes nodes in one Ray." \
    "On each node, with its number N from 0: source run.env, export RLINF_NODE_RANK=N" \
    "and PYTHONPATH=<this bundle>/bootstrap, then run 'ray start --head' (node 0) or 'ray start --address=NODE0:6379'." \
    "Then export RAY_ADDRESS=NODE0:6379 on node 0 and start this script there."
}

# --- one folder a run ----------------------------------------------------------------------------------

_take_run_folder() {
  _run=${VLAC_TAKEN_RUN_DIR:-}
  unset VLAC_TAKEN_RUN_DIR
  [ -n "$_run" ] || _take_next_number
  _bundle=$_run/bundle
  case $_run in
    *:*) _refuse "the run folder must not contain ':', which PYTHONPATH cannot hold: $_run" ;;
  esac
}

_take_next_number() { # mkdir is the lock: whoever makes the folder owns it
  local folder number=0
  mkdir -p -- "$_output/$_name" || _refuse "cannot write below $_output"
  _run=$(cd -- "$_output/$_name" && pwd)
  for folder in "$_run"/*/; do
    folder=${folder%/}
    folder=${folder##*/}
    [[ $folder =~ ^[1-9][0-9]{0,8}$ ]] && [ "$folder" -gt "$number" ] && number=$folder
  done
  number=$((number + 1))
  until mkdir -- "$_run/$number" 2>/dev/null; do
    [ -e "$_run/$number" ] || _refuse "cannot write below $_run"
    number=$((number + 1))
  done
  _run=$_run/$number
  _copy_bundle
}

_copy_bundle() {
  local file
  mkdir -- "$_run/bundle" || _refuse "cannot write below $_run"
  for file in config.yaml run.env launch.sh vlac.lock.json bootstrap rlinf.patch; do
    [ ! -e "$_bundle/$file" ] || cp -R -- "$_bundle/$file" "$_run/bundle/" || _refuse "cannot write below $_run"
  done
}

# --- Ray of its own ------------------------------------------------------------------------------------

_free_port() {
  "$_python" -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

_start_ray() {
  if [ -n "${RAY_ADDRESS:-}" ]; then
    _say "training in the Ray at RAY_ADDRESS=$RAY_ADDRESS, which is left running"
    return 0
  fi
  # Short, because a socket path has at most 107 bytes; a folder below it, because Ray opens its own to all users.
  _scratch=${VLAC_SCRATCH_DIR:-$(mktemp -d /tmp/vlac.XXXXXX)} || _refuse "cannot write in /tmp"
  unset VLAC_SCRATCH_DIR
  local port
  port=$(_free_port) || _refuse "$_python does not run"
  # A token of its own: Ray 2.60 takes one that lies in ~/.ray for its head, and its drivers then do not find it.
  export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=$_scratch/token
  "$_python" -c 'import secrets; print(secrets.token_hex(32), end="")' >"$RAY_AUTH_TOKEN_PATH"
  # The ports named here are those that a second Ray on a machine would share with the first.
  AUTOSCALER_METRIC_PORT=0 DASHBOARD_METRIC_PORT=0 setsid "$_python" -m ray.scripts.scripts start --head --block \
    --port=0 --ray-client-server-port="$port" --include-dashboard=false --disable-usage-stats \
    --temp-dir="$_scratch/ray" "${_ray_options[@]}" >"$_scratch/ray.log" 2>&1 </dev/null &
  _head=$!
}

_await_ray() {
  [ -n "$_head" ] || return 0
  local tries=900 address=$_scratch/ray/ray_current_cluster
  until [ -s "$address" ]; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ] || ! kill -0 "$_head" 2>/dev/null; then
      cat -- "$_scratch/ray.log" >&2
      _refuse "Ray did not start (its output is above)"
    fi
    sleep 0.2
  done
  RAY_ADDRESS=$(<"$address")
  export RAY_ADDRESS
  _say "Ray of this run: $RAY_ADDRESS"
}

# --- the training --------------------------------------------------------------------------------------

_open_log() { # run.log gets what the trainer prints; tee ignores the Ctrl-C that it sees too
  exec {_log}> >(exec tee -i -a -- "$_run/run.log")
  _tee=$!
}

_export_paths() {
  local bootstrap=$_bundle/bootstrap
  export VLAC_RUN_DIR=$_run # also the mark of this run's processes; tee, started before, does not carry it
  export PYTHONPATH=$bootstrap${_checkout:+:$_checkout}${PYTHONPATH:+:$PYTHONPATH}
  [[ $_entry != examples/agent/* ]] || export PYTHONPATH=$PYTHONPATH:$_checkout/examples # its scripts import each other
  export PYTHONUNBUFFERED=1
}

_write_data() {
  [ "$_writes_data" = yes ] || return 0
  "$_python" -m vlac_demo.generate "$VLAC_RUN_DIR/data" >&"$_log" 2>&1
}

_leave_to_nodes() { # what belongs to a node was for ray start; RLinf pushes what the driver has to all nodes
  unset "${_of_node[@]}"
}

_train() {
  local status=0
  cd -- "${_checkout:-$_run}"
  setsid "$_python" "$(_entry_path)" --config-path "$_bundle" --config-name config \
    "${_arguments[@]}" "$@" >&"$_log" 2>&1 </dev/null &
  _trainer=$!
  wait "$_trainer" || status=$?
  _training_status=$status
  return "$status"
}

# --- the end: nothing of this run stays, nothing else is touched ---------------------------------------

_finish() {
  local status=$?
  set +e
  trap - EXIT
  trap '' INT TERM HUP PIPE
  unset VLAC_RUN_DIR # what is started from here on does not carry the mark of the run
  _end "$_trainer"
  _report_training
  _end "$_head"
  _sweep
  _close_log
  [ -z "$_scratch" ] || rm -rf -- "$_scratch"
  exit "$status"
}

_report_training() {
  [ -n "$_trainer" ] || return 0
  if [ -z "$_training_status" ]; then # it was ended
    ! _is_child "$_trainer" || return 0
    wait "$_trainer"
    _training_status=$?
  fi
  _say "the training ended with status $_training_status"
}

_end() { # one child: asked first, killed after 5 seconds, given up after 10 (a driver can hold it in the kernel)
  [ -n "$1" ] || return 0
  local tries=50
  ! _is_child "$1" || kill -TERM "$1" 2>/dev/null
  while _is_child "$1" && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    [ "$tries" -ne 25 ] || kill -KILL "$1" 2>/dev/null
    sleep 0.2
  done
}

_close_log() { # tee ends with the last who can write to it; one whom we do not know does not hold us up
  [ -n "$_tee" ] || return 0
  exec {_log}>&-
  local tries=30
  while _is_child "$_tee" && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.1
  done
  ! _is_child "$_tee" || kill -TERM "$_tee" 2>/dev/null
}

_is_child() { # and runs; once it ended, its number may be somebody else's
  local fields=()
  _read_stat "/proc/$1/stat" && [ "${fields[0]}" != Z ] && [ "${fields[1]}" = "$$" ]
}

_read_stat() { # into fields: state, parent, process group, session, ...; the name before them may hold anything
  local text=''
  { IFS= read -r -d '' text <"$1"; } 2>/dev/null || [ -n "$text" ] || return 1
  read -ra fields <<<"${text##*) }"
}

_sweep() { # whatever is left in the sessions of trainer and Ray, or carries this run's mark
  local tries=35 signal=TERM left=()
  while mapfile -t left < <(_members) && [ "${#left[@]}" -gt 0 ]; do
    [ "$tries" -gt 25 ] || signal=KILL
    [ "$tries" -gt 0 ] || { _say "these processes of the run do not end: ${left[*]}"; return 0; }
    kill "-$signal" "${left[@]}" 2>/dev/null
    tries=$((tries - 1))
    sleep 0.2
  done
}

_members() {
  {
    _marked
    _in_sessions
  } | sort -un
}

_marked() { # processes whose environment names this run folder
  local pid
  grep -lszxF -e "VLAC_RUN_DIR=$_run" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
    printf '%s\n' "$pid"
  done
}

_in_sessions() {
  local file fields=()
  for file in /proc/[0-9]*/stat; do
    _read_stat "$file" && [ "${fields[0]}" != Z ] || continue
    case ${fields[3]} in
      "${_trainer:-none}" | "${_head:-none}") file=${file#/proc/} && printf '%s\n' "${file%/stat}" ;;
    esac
  done
}

_main() {
  _bundle=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
  # shellcheck source=/dev/null
  source "$_bundle/run.env"
  _check_variables
  _absolute_spec_dir
  _set_paths
  _find_checkout
  _find_python
  _check_entry
  _check_nodes
  _take_run_folder
  _say "run folder: $_run"
  trap _finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  trap 'exit 141' PIPE
  _open_log
  _export_paths
  _start_ray
  _write_data
  _await_ray
  _leave_to_nodes
  _train "$@"
}

_main "$@"
