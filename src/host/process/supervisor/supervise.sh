# Owns one agent: its output files, its deadline, its end, and the end of all that it started.
# Plain sh costs 4 ms of CPU and no memory to speak of; a Node process would cost 65 ms and 8 MB for each agent.
# In a PID namespace this is process 1: signals from inside do not reach it, and the kernel kills the rest when it ends.
# In mode `group` the agent has a session of its own, and what escapes from that is found by a mark in its environment.
# In mode `container`, inside a container of the run's own, it has a session too, and every process without another mark of the
# run is the agent's. Only what busybox has is used there. In mode `kept`, which is the same otherwise, what the agent leaves stays
# if it has ended by itself: servers that it was asked to start.
# The output of the agent goes through relay.pl, or through cat where there is no perl: the files are not open in any process of the agent.
# Arguments: dir mode deadline idle-tick grace mark cwd stdin, then the command. Times in seconds; idle 0: no limit.
# Files and the names of variables: see claim.sh.
_ltt_dir=$1 _ltt_mode=$2 _ltt_deadline=$3 _ltt_idle_tick=$4 _ltt_grace=$5 _ltt_mark=$6 _ltt_cwd=$7 _ltt_stdin=$8
shift 8
umask 077
_ltt_keep=
[ "$_ltt_mode" != kept ] || _ltt_keep=1 _ltt_mode=container
case $_ltt_mode in group | container) _ltt_session=1 ;; *) _ltt_session= ;; esac

# Again until none is left, for two seconds: a process may fork between the look and the kill, and takes time to die.
kill_marked() {
  _ltt_rounds=0
  while [ "$_ltt_rounds" -lt 100 ]; do
    # Its status says nothing: it is 2 where a process of another user cannot be read.
    _ltt_found=$(grep -lszxF "LLM_TOOL_TEST_RUN=$_ltt_mark" /proc/[0-9]*/environ)
    [ -n "$_ltt_found" ] || return
    for _ltt_environ in $_ltt_found; do
      _ltt_pid=${_ltt_environ#/proc/}
      kill -KILL "${_ltt_pid%/environ}" 2>/dev/null
    done
    sleep 0.02
    _ltt_rounds=$((_ltt_rounds + 1))
  done
}

# Also what has cleared its environment; not what setup commands have left, the supervisor, or what the host runs here.
kill_unmarked() {
  _ltt_rounds=0
  while [ "$_ltt_rounds" -lt 100 ]; do
    _ltt_found=
    for _ltt_process in /proc/[0-9]*; do
      _ltt_pid=${_ltt_process#/proc/}
      [ "$_ltt_pid" != 1 ] && read -r _ltt_line <"$_ltt_process/stat" || continue
      # Not the dead, nor what comes from outside: that has no parent here, and no mark before it has begun.
      case ${_ltt_line##*) } in Z* | ?' 0 '*) continue ;; esac
      tr '\0' '\n' <"$_ltt_process/environ" | grep '^LLM_TOOL_TEST_RUN=' |
        grep -qvxF "LLM_TOOL_TEST_RUN=$_ltt_mark" && continue
      # Services of another user are in a cloud sandbox too. What may not be killed is not waited for.
      kill -KILL "$_ltt_pid" && _ltt_found=1
    done 2>/dev/null
    [ -n "$_ltt_found" ] || return
    sleep 0.02
    _ltt_rounds=$((_ltt_rounds + 1))
  done
}

# In a namespace of its own, where all other processes are the agent's. Like the kernel's kill of all, but for relays by cat.
kill_others() {
  _ltt_rounds=0
  read -r _ltt_self _ltt_line </proc/self/stat
  while [ "$_ltt_rounds" -lt 100 ]; do
    _ltt_found=
    for _ltt_process in /proc/[0-9]*; do
      _ltt_pid=${_ltt_process#/proc/}
      case " 1 $_ltt_self $_ltt_relays " in *" $_ltt_pid "*) continue ;; esac
      read -r _ltt_line <"$_ltt_process/stat" || continue
      case ${_ltt_line##*) } in Z*) continue ;; esac
      kill -KILL "$_ltt_pid" && _ltt_found=1
    done 2>/dev/null
    [ -n "$_ltt_found" ] || return
    _ltt_rounds=$((_ltt_rounds + 1))
    # Most are gone at once.
    [ "$_ltt_rounds" -lt 4 ] || sleep 0.02
  done
}

signal_agent() {
  if [ -n "$_ltt_session" ]; then
    kill -"$1" -"$(cat "$_ltt_dir/session")" 2>/dev/null
    [ "$1" = KILL ] || return
    if [ "$_ltt_mode" = group ]; then kill_marked; else kill_unmarked; fi
  elif [ "$1" = KILL ]; then
    kill_others
  else
    kill -"$1" -1 2>/dev/null
  fi
}

output_size() { echo "$(wc -c <"$_ltt_dir/out") $(wc -c <"$_ltt_dir/err")"; }

watch_idle() {
  _ltt_seen= _ltt_unchanged=0
  while [ "$_ltt_unchanged" -lt 5 ]; do
    sleep "$_ltt_idle_tick"
    _ltt_now=$(output_size)
    if [ "$_ltt_now" = "$_ltt_seen" ]; then
      _ltt_unchanged=$((_ltt_unchanged + 1))
    else
      _ltt_unchanged=0 _ltt_seen=$_ltt_now
    fi
  done
  echo idle >&3
}

# Ends with the agent. The reason goes through a FIFO, for the disk may be full, and the agent is to end all the same.
stop_on_request() {
  read -r _ltt_reason <&3
  echo "$_ltt_reason" >&4
  signal_agent TERM
  sleep "$_ltt_grace"
  signal_agent KILL
}

become_agent() {
  trap - HUP INT TERM
  exec 3>&- 4>&- <"$_ltt_stdin" >&5 2>&6 5>&- 6>&- 7>&-
  cd "$_ltt_cwd" || exit 126
  # Found by our PATH: the agent's may lack or shadow them.
  [ -n "$_ltt_session" ] && _ltt_setsid=$(command -v setsid) _ltt_perl=$(command -v perl) _ltt_sh=$(command -v sh)
  PATH=$LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_RUN=$_ltt_mark
  export PATH LLM_TOOL_TEST_RUN
  umask "$LLM_TOOL_TEST_AGENT_UMASK"
  unset LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_AGENT_UMASK LLM_TOOL_TEST_RELAY OLDPWD
  [ -n "$_ltt_session" ] || exec "$@"
  if [ -n "$_ltt_setsid" ]; then
    exec "$_ltt_setsid" "$_ltt_sh" -c 'echo $$ 1<>"$0" && exec "$@"' "$_ltt_dir/session" "$@"
  fi
  exec "$_ltt_perl" -e 'use POSIX; POSIX::setsid(); open F, "+<", shift; print F $$; close F; exec { $ARGV[0] } @ARGV' "$_ltt_dir/session" "$@"
}

# Until it is written: some file systems need room also in place, and one may be read-only for a while. What the agent has
# done is paid for, and none of it runs any more. A folder that is gone is asked for by nobody.
record() {
  until write_line "$@" || { reopen && write_line "$@"; } || [ ! -d "$_ltt_dir" ]; do sleep 1; done 2>/dev/null
}
write_line() { printf '%s\n' "$2" 1<>"$_ltt_dir/$1"; }
# An agent without a sandbox can take all access from the folder of its run and from those in it.
reopen() { chmod u+rwx "${_ltt_dir%/*/*}" "${_ltt_dir%/*}" "$_ltt_dir"; }

# Reads what the agent writes from a FIFO whose name is gone, and appends it to a file. $1: its name; $2: the descriptor to write to.
relay_by_cat() {
  mkfifo "$_ltt_dir/$1.pipe" || exit 73
  exec 8<>"$_ltt_dir/$1.pipe"
  exec 9<"$_ltt_dir/$1.pipe"
  if [ "$2" = 5 ]; then exec 5>"$_ltt_dir/$1.pipe"; else exec 6>"$_ltt_dir/$1.pipe"; fi
  rm -f "$_ltt_dir/$1.pipe"
  cat <&9 >>"$_ltt_dir/$1" 3>&- 4>&- 5>&- 6>&- 8>&- 9<&- &
  _ltt_relays="$_ltt_relays $!"
  exec 8>&- 9<&-
}

# Returns when all that the agent has written is in the files; fails if some may be lost, because what relays it was killed. By now,
# nobody writes any more.
drain() {
  if [ -n "$LLM_TOOL_TEST_RELAY" ]; then
    trap '' PIPE
    echo >&7
    read -r _ltt_line <&7
    return
  fi
  { sleep 5 && kill -KILL $_ltt_relays; } </dev/null >/dev/null 2>&1 3>&- 4>&- &
  _ltt_late=$! _ltt_killed=
  for _ltt_relay in $_ltt_relays; do
    wait "$_ltt_relay"
    [ $? -le 128 ] || _ltt_killed=1
  done
  [ -n "$_ltt_killed" ] || return 0
  kill -KILL "$_ltt_late"
  wait "$_ltt_late"
} 2>/dev/null

# Fails if it has ended before: then calls of the agent may have failed because of that.
end_beside() {
  [ -n "$_ltt_beside" ] || return 0
  kill -USR2 "$_ltt_beside"
  kill -CONT "$_ltt_beside"
  wait "$_ltt_beside"
  [ "$(kill -l "$?")" = USR2 ]
} 2>/dev/null

# Ends without the status of the agent, of which something is not known. $1: the reason.
lose() {
  echo "$1" >&2
  [ -n "$_ltt_session" ] && kill -KILL 0
  exit 1
}

# Outside of the agent's sandbox and session. It has the agent's mark, and ends with what the agent leaves behind.
start_beside() {
  (
    PATH=$LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_RUN=$_ltt_mark _ltt_sh=$(command -v sh)
    export PATH LLM_TOOL_TEST_RUN
    unset LLM_TOOL_TEST_AGENT_PATH LLM_TOOL_TEST_AGENT_UMASK LLM_TOOL_TEST_RELAY OLDPWD
    exec "$_ltt_sh" "$_ltt_dir/beside"
  ) </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- &
}

# What cannot be made ends it here, before there is anything to pay for.
for _ltt_fifo in ctl why; do [ -p "$_ltt_dir/$_ltt_fifo" ] || mkfifo "$_ltt_dir/$_ltt_fifo" || exit 73; done
exec 3<>"$_ltt_dir/ctl" 4<>"$_ltt_dir/why"
true >"$_ltt_dir/out" >"$_ltt_dir/err" || exit 73
trap '' HUP INT TERM
_ltt_relays=
[ -n "$LLM_TOOL_TEST_RELAY" ] || { relay_by_cat out 5 && relay_by_cat err 6; }
{ sleep "$_ltt_deadline" && echo deadline >&3; } </dev/null >/dev/null 2>&1 5>&- 6>&- 7>&- &
[ "$_ltt_idle_tick" = 0 ] || watch_idle </dev/null >/dev/null 2>&1 5>&- 6>&- 7>&- &
_ltt_beside= _ltt_lost=
[ ! -f "$_ltt_dir/beside" ] || { start_beside && _ltt_beside=$!; }
stop_on_request </dev/null >/dev/null 2>&1 5>&- 6>&- 7>&- &
_ltt_stopper=$!

# In the foreground: a background job of sh would start with SIGINT ignored, and so would the agent.
(become_agent "$@")
_ltt_status=$?

# What asks for a stop from here on comes too late.
kill -KILL "$_ltt_stopper" 2>/dev/null
# Not for programs that are started from here on, which the agent may have replaced in a container.
exec 5>&- 6>&-
end_beside || _ltt_lost='what works beside the agent ended before it'
echo >&4
read -r _ltt_reason <&4
[ -n "$_ltt_keep" ] && [ -z "$_ltt_reason" ] || signal_agent KILL
drain || _ltt_lost='what passes on the output of the agent was killed'
[ -z "$_ltt_lost" ] || lose "$_ltt_lost"
[ -z "$_ltt_reason" ] || record stop "$_ltt_reason"
record exit "$_ltt_status"
[ -n "$_ltt_session" ] && kill -KILL 0
exit 0
