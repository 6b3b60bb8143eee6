# Claims a folder for one agent, then becomes its supervisor (supervise.sh), in a PID namespace where the kernel allows.
# Arguments: dir mode boot script, then those of supervise.sh after its first two.
#
# Files in the folder:
#   sup        "pid boot mode start": the claim, made exclusively; the supervisor lives as long as this process
#   ctl        FIFO: whoever writes a reason into it stops the agent
#   out, err   the agent's output
#   stop       why it was stopped (cancel, deadline, idle, cost); absent when the agent ended by itself
#   exit       the agent's exit status, written last; complete when it ends in a newline
dir=$1 mode=$2 boot=$3 script=$4
shift 4
export LLM_TOOL_TEST_AGENT_UMASK="$(umask)"
umask 077

start_time() {
  if [ -r /proc/$$/stat ]; then
    read -r line </proc/$$/stat
    # The command name, in parentheses, may hold anything: count from the last one.
    set -- ${line##*) }
    shift 19
    echo "$1"
  else
    ps -o lstart= -p $$
  fi
}

start=$(start_time)
set -C
printf '%s\n' "$$ $boot $mode $start" 2>/dev/null >"$dir/sup" || exit 75
set +C

case $mode in
pidns) exec unshare --pid --fork --kill-child=KILL --mount-proc sh "$script" "$dir" "$mode" "$@" ;;
userns) exec unshare --user --map-current-user --pid --fork --kill-child=KILL --mount-proc sh "$script" "$dir" "$mode" "$@" ;;
*) exec sh "$script" "$dir" "$mode" "$@" ;;
esac
