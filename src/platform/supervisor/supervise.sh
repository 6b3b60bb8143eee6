# Owns one agent: its output files, its deadline, its end, and the end of all that it started.
# Plain sh costs 4 ms of CPU and no memory to speak of; a Node process would cost 65 ms and 8 MB for each agent.
# In a PID namespace this is process 1: signals from inside do not reach it, and the kernel kills the rest when it ends.
# In mode `group` the agent has a session of its own, and what escapes from that is found by a mark in its environment.
# Arguments: dir mode deadline idle-tick grace-tenths mark cwd stdin, then the command. Times in seconds; idle 0: no limit.
dir=$1 mode=$2 deadline=$3 idle_tick=$4 grace=$5 mark=$6 cwd=$7 stdin=$8
shift 8
umask 077

# Again until none is left, for two seconds: a process may fork between the look and the kill, and takes time to die.
kill_marked() {
  rounds=0
  while [ "$rounds" -lt 100 ]; do
    # Its status says nothing: it is 2 where a process of another user cannot be read.
    found=$(grep -lszxF "LLM_TOOL_TEST_RUN=$mark" /proc/[0-9]*/environ)
    [ -n "$found" ] || return
    for environ in $found; do
      pid=${environ#/proc/}
      kill -KILL "${pid%/environ}" 2>/dev/null
    done
    sleep 0.02
    rounds=$((rounds + 1))
  done
}

signal_agent() {
  if [ "$mode" = group ]; then
    kill -"$1" -"$(cat "$dir/session")" 2>/dev/null
    [ "$1" = KILL ] && kill_marked
  else
    kill -"$1" -1 2>/dev/null
  fi
}

output_size() { echo "$(wc -c <"$dir/out") $(wc -c <"$dir/err")"; }

watch_idle() {
  seen= unchanged=0
  while [ "$unchanged" -lt 5 ]; do
    sleep "$idle_tick"
    now=$(output_size)
    if [ "$now" = "$seen" ]; then unchanged=$((unchanged + 1)); else unchanged=0 seen=$now; fi
  done
  echo idle >&3
}

stop_on_request() {
  read -r reason <&3
  printf '%s\n' "$reason" >"$dir/stop"
  signal_agent TERM
  waited=0
  while [ "$waited" -lt "$grace" ] && [ ! -e "$dir/exit" ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  signal_agent KILL
}

become_agent() {
  trap - HUP INT TERM
  exec 3>&- <"$stdin" >>"$dir/out" 2>>"$dir/err"
  cd "$cwd" || exit 126
  # Found by our PATH: the agent's may lack or shadow them.
  [ "$mode" = group ] && setsid=$(command -v setsid) perl=$(command -v perl) sh=$(command -v sh)
  PATH=$LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_RUN=$mark
  export PATH LLM_TOOL_TEST_RUN
  umask "$LLM_TOOL_TEST_AGENT_UMASK"
  unset LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_AGENT_UMASK OLDPWD
  [ "$mode" = group ] || exec "$@"
  if [ -n "$setsid" ]; then
    exec "$setsid" "$sh" -c 'echo $$ >"$0" && exec "$@"' "$dir/session" "$@"
  fi
  exec "$perl" -e 'use POSIX; POSIX::setsid(); open F, ">", shift; print F $$; close F; exec { $ARGV[0] } @ARGV' "$dir/session" "$@"
}

mkfifo "$dir/ctl"
exec 3<>"$dir/ctl"
: >"$dir/out" >"$dir/err"
trap '' HUP INT TERM
{ sleep "$deadline" && echo deadline >&3; } </dev/null >/dev/null 2>&1 &
[ "$idle_tick" = 0 ] || watch_idle </dev/null >/dev/null 2>&1 &
stop_on_request </dev/null >/dev/null 2>&1 &

# In the foreground: a background job of sh would start with SIGINT ignored, and so would the agent.
(become_agent "$@")
status=$?

signal_agent KILL
printf '%s\n' "$status" >"$dir/exit"
[ "$mode" = group ] && kill -KILL 0
exit 0
