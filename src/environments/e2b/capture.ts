import { StringDecoder } from 'node:string_decoder';
import type { CommandResult } from '#lib';

/** Limit for scripts, whose output is always needed as a whole. */
export const NO_CAP = 2 ** 40;

/** Line that begins both streams. What is before it was printed by the settings of the login shell. */
const BEGIN = '--- llm-tool-test ---';

/**
 * Command line for bash that runs a script of `bytes` bytes from standard input. Not as an argument: others could read
 * it. E2B relays output as text and waits until nobody can write to it any more. So the output is encoded, each stream
 * followed by the number of bytes after the first `cap`; and it is relayed by processes that end with the script, even
 * if background processes keep it open. The pipes are open for writing (4, 5) before anyone reads them: if bash is
 * killed, the relays end too, instead of waiting for a writer without end.
 */
export const captureCommand = (bytes: number, cap: number): string => `
echo '${BEGIN}'
echo '${BEGIN}' >&2
exec 3>&2 2>/dev/null
set -m
folder=$(mktemp -d) && mkfifo "$folder/out" "$folder/err" || { echo 'no temporary folder' >&3; exit 125; }
encode() { head -c ${cap} | base64; wc -c; }
exec 4<>"$folder/out" 5<>"$folder/err"
cat <"$folder/out" 4>&- 5>&- | encode 4>&- 5>&- &
cat <"$folder/err" 4>&- 5>&- | encode >&3 4>&- 5>&- &
readers=$(jobs -p)
sh -c 'eval "$(head -c ${bytes})"' >&4 2>&5 3>&- 4>&- 5>&-
status=$?
exec 4>&- 5>&-
for round in 1 2 3 4 5 6 7 8 9 10; do
  [ -n "$(jobs -r)" ] || break
  sleep 0.02
done
kill -KILL $readers
wait
rm -rf "$folder"
exit $status`;

/** The output of a script on one stream: its first bytes, and the number of all bytes. */
export interface Captured {
  kept: Buffer;
  bytes: number;
}

/** Decodes a stream. Returns null if it is incomplete, because the relay was killed. */
export function readCaptured(text: string): Captured | null {
  const lines = text.slice(text.lastIndexOf(`${BEGIN}\n`) + BEGIN.length + 1).split('\n');
  const [count = '', last] = [lines.at(-2)?.trim(), lines.pop()];
  lines.pop();
  if (last !== '' || !/^\d+$/.test(count)) return null;
  const kept = Buffer.from(lines.join(''), 'base64');
  return { kept, bytes: kept.length + Number(count) };
}

/** The output of a command as text. A character that the cap splits is dropped. */
export function outputOf(
  stdout: Captured,
  stderr: Captured,
): Pick<CommandResult, 'stdout' | 'stderr' | 'stdoutBytes' | 'stderrBytes'> {
  const text = ({ kept, bytes }: Captured): string => {
    const decoder = new StringDecoder('utf8');
    return decoder.write(kept) + (bytes > kept.length ? '' : decoder.end());
  };
  return {
    stdout: text(stdout),
    stdoutBytes: stdout.bytes,
    stderr: text(stderr),
    stderrBytes: stderr.bytes,
  };
}
