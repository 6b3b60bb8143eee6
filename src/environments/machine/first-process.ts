const SECS = 60;

/** PID 1 of a machine: adopts orphaned processes, and runs until the machine is removed or `check` exits. */
export const firstProcess = (check = ':'): string =>
  `trap "exit 0" TERM; while :; do sleep ${SECS} & wait $!; ${check}; done`;

/** Kills all processes except PID 1, the `sleep` that it waits for, and this script. */
export const killAllScript = `
for round in 1 2 3 4 5 6 7 8 9 10; do
  kill -KILL -1 2>/dev/null
  sleep 0.05
  left=0
  for process in /proc/[0-9]*; do
    pid=\${process#/proc/}
    [ "$pid" != 1 ] && [ "$pid" != $$ ] && read -r line <"$process/stat" || continue
    set -- \${line##*) }
    [ "$1" = Z ] || [ "$2" = 1 ] && [ "$(tr '\\0' ' ' <"$process/cmdline")" = 'sleep ${SECS} ' ] || left=$((left + 1))
  done 2>/dev/null
  [ "$left" = 0 ] && exit 0
done`;
