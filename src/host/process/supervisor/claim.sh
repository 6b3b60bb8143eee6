# Claims a folder for one agent, then becomes its supervisor (supervise.sh), in a PID namespace where the kernel allows.
# Arguments: dir mode boot, then the command that becomes the supervisor.
#
# Files in the folder:
#   sup        "pid boot mode start": the claim, made exclusively; the supervisor lives as long as this process
#   sup.err    what this script, unshare and the supervisor say of themselves
#   ctl        FIFO: whoever writes a reason into it stops the agent
#   why        FIFO of the supervisor: the reason for which it stops the agent
#   out, err   the agent's output
#   beside     a script for what works beside the agent; absent if there is nothing
#   session    the agent's session in mode `group`
#   stop       why it was stopped (cancel, deadline, idle, cost, result); blank when the agent ended by itself
#   exit       the agent's exit status, written last; complete when it ends in a newline
# sup.err, session, stop and exit are there before, with a blank in them: written over in place (<>), they need no room on
# a disk that is full by then.
#
# All variables begin with _ltt_: what comes in by the environment stays exported when it is assigned, so that any other
# name would change what the agent gets under it.
_ltt_dir=$1 _ltt_mode=$2 _ltt_boot=$3
shift 3
export LLM_TOOL_TEST_AGENT_UMASK="$(umask)"
umask 077
exec 2<>"$_ltt_dir/sup.err"

start_time() {
  if [ -r /proc/$$/stat ]; then
    read -r _ltt_line </proc/$$/stat
    # The command name, in parentheses, may hold anything: count from the last one.
    set -- ${_ltt_line##*) }
    shift 19
    echo "$1"
  else
    ps -o lstart= -p $$
  fi
}

_ltt_start=$(start_time)
set -C
true 2>/dev/null >"$_ltt_dir/sup" || exit 75
set +C
if ! printf '%s\n' "$$ $_ltt_boot $_ltt_mode $_ltt_start" 2>/dev/null >"$_ltt_dir/sup"; then
  echo 'the claim could not be written; is the disk full?' >&2
  rm "$_ltt_dir/sup"
  exit 74
fi

exec "$@"
