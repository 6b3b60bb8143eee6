import { markOf, RUN_MARK } from '../../platform/process/marked-processes.js';
import type { EnvironmentHandle } from '../environment.js';
import { quoted } from '../machine/quoting.js';

/** Mark of our own scripts in the sandbox. */
export const scriptMark = ({ mark }: EnvironmentHandle): string => markOf(mark, 'script');

/**
 * Kills, as root, what belongs to the run: processes of the default user, unless that is root, and those with the run's
 * mark. Not everything: services of the sandbox, through which E2B reaches it, run in it too.
 */
export const killOwnScript = (handle: EnvironmentHandle): string => `
owner=$(stat -c %u ${quoted(handle.root)})
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for process in /proc/[0-9]*; do
    read -r line <"$process/stat" || continue
    case \${line##*) } in Z*) continue ;; esac
    mark=$(tr '\\0' '\\n' <"$process/environ" | grep '^${RUN_MARK}=')
    case $mark in
    ${quoted(`${RUN_MARK}=${scriptMark(handle)}`)}) continue ;;
    ${quoted(`${RUN_MARK}=${handle.mark}`)} | ${quoted(`${RUN_MARK}=${handle.mark}/`)}*) ;;
    *) [ "$owner" != 0 ] && [ "$(stat -c %u "$process")" = "$owner" ] || continue ;;
    esac
    found=1
    kill -KILL "\${process#/proc/}"
  done 2>/dev/null
  [ -n "$found" ] || exit 0
  sleep 0.05
done`;
