import { closeSync, existsSync, mkdirSync, openSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readExit, writeFileAtomic, writeNote } from '#host';
import { STOP_REASONS } from '#lib';
import type { EnvironmentHandle, ProcessState } from '../environment.js';
import { startFiles } from '../journal.js';
import { assertAnswered, type Machine, quoted } from './machine.js';
import { endStreams, isStreaming, noteCopied, streamEnd } from './stream.js';

/** The claim of a start as it is in the journal: its supervisor is not a process of this host. */
const CLAIM = '0 container container 0\n';
/** Maximum number of bytes of an output that are fetched at once. */
const PIECE = 4 * 1024 * 1024;
/** The position of output of which nothing is to be fetched. */
const ALL = 2 ** 50;
const KILLED = 137;
const MAX_TRIES = 5;

/** Folder of a start in the machine, in which its supervisor keeps its files. */
export const startInside = ({ root }: EnvironmentHandle, start: number): string => join(root, 'agent', String(start));

/** The interval at which a script in the machine waits for news of an agent. */
const TICK_SECS = 0.5;

/**
 * Script that prints the state of a start, the sizes of its output, and the output after the given positions. It checks
 * whether the supervisor is alive before it reads the exit status: a supervisor writes the status before it exits.
 * `secs`: for so long it waits for news of an agent that runs.
 */
const inspectScript = (folder: string, out: number, err: number, secs: number): string => `
cd ${quoted(folder)} 2>/dev/null && [ -e sup ] || { echo none 0 - 0 0 0 0 0; exit; }
claimed=$(stat -c %Y sup) ended=0 ticks=0
while :; do
  state=dead code=- stop=-
  if read -r pid boot mode start <sup && read -r line 2>/dev/null <"/proc/$pid/stat"; then
    set -- \${line##*) }
    [ "$1" = Z ] || { shift 19; [ "$1" != "$start" ] || state=running; }
  elif [ -z "$start" ] && [ $(($(date +%s) - claimed)) -lt 5 ]; then state=starting; fi
  if read -r code 2>/dev/null <exit && [ -n "$code" ]; then
    state=ended ended=$(stat -c %Y exit)
    read -r stop <stop; stop=\${stop:--}
  else code=-; fi
  [ $state = running ] && [ $ticks -lt ${secs / TICK_SECS} ] || break
  [ "$(stat -c %s out err 2>/dev/null)" = '${out}
${err}' ] || break
  sleep ${TICK_SECS}
  ticks=$((ticks + 1))
done
piece() {
  bytes=$(wc -c 2>/dev/null <"$1") || bytes=0
  bytes=$((bytes - $2)); [ "$bytes" -gt 0 ] || bytes=0; [ "$bytes" -lt ${PIECE} ] || bytes=${PIECE}
  echo "$bytes"
}
out=$(piece out ${out}) err=$(piece err ${err}) sup=$(piece sup.err 0)
echo "$state $code $stop $claimed $ended $out $err $sup"
[ "$out" = 0 ] || tail -c +${out + 1} out | head -c "$out"
[ "$err" = 0 ] || tail -c +${err + 1} err | head -c "$err"
[ "$sup" = 0 ] || head -c "$sup" sup.err`;

/** Notes that the agent may have begun, which its machine cannot tell any more when it is gone. */
export function noteStart(handle: EnvironmentHandle, start: number): void {
  const { claim } = startFiles(handle, start);
  if (!existsSync(claim)) writeNote(claim, CLAIM);
}

/**
 * Copies the new output of a start to the journal and returns the start's state. The exit status is written to the
 * journal last, and from then on read from there: the machine may be gone. With `untilNews`, it may wait for news.
 */
export async function mirrorStart(
  handle: EnvironmentHandle,
  machine: Machine,
  start: number,
  untilNews?: AbortSignal,
): Promise<ProcessState> {
  const { folder, stdout, stderr, claim, exit, stop, errors } = startFiles(handle, start);
  if (!existsSync(folder)) return { state: 'none' };
  const known = await readExit(folder);
  if (known?.state === 'ended') return known;
  for (let tries = MAX_TRIES; ; tries--) {
    const streaming = await isStreaming(folder);
    const streamed = await streamEnd(folder);
    const [outAt, errAt] = streaming || streamed === 'whole' ? [ALL, ALL] : [sizeOf(stdout), sizeOf(stderr)];
    const secs = untilNews === undefined ? 0 : (machine.waitSecs ?? 0);
    const script = inspectScript(startInside(handle, start), outAt, errAt, secs);
    const answer = await machine.run(script, undefined, untilNews);
    if (answer === null) {
      const why = (await machine.lost?.()) ?? null;
      if (why !== null) writeNote(errors, why);
      // The agent may have begun, even if the worker that started it died before it noted that.
      return { state: 'dead' };
    }
    // The script was killed together with everything else in the machine.
    if (answer.exitCode === KILLED && tries > 0) continue;
    assertAnswered(`reading start ${start} of the agent in ${machine.title}`, answer);
    const end = answer.stdout.indexOf('\n');
    const [state = '', code = '', reason, ...numbers] = answer.stdout.subarray(0, end).toString().split(' ');
    const [claimed = 0, ended = 0, out = 0, err = 0, sup = 0] = numbers.map(Number);
    if (state === 'none') return { state: unknownInside(claim) };
    const pieces = answer.stdout.subarray(end + 1);
    if (pieces.length !== out + err + sup) {
      if (tries > 0) continue; // a file was shortened while it was read
      throw new Error(`cannot read the output of start ${start} of the agent in ${machine.title}`);
    }
    if (!existsSync(claim)) noteAt(claim, CLAIM, claimed);
    if (out + err > 0) noteCopied(folder);
    writeAt(stdout, outAt, pieces.subarray(0, out));
    writeAt(stderr, errAt, pieces.subarray(out, out + err));
    if (sup > 0) writeNote(errors, pieces.subarray(out + err).toString());
    if (state === 'running' || state === 'starting') return { state };
    if (out === PIECE || err === PIECE) continue;
    if (state !== 'ended') return { state: 'dead' };
    if (streaming && (await endStreams(folder))) continue;
    // An agent could record an end of its own, and go on while its work is checked.
    if (streaming || streamed === 'without supervisor') return { state: 'dead' };
    const stopped = STOP_REASONS.find((known) => known === reason) ?? null;
    await writeFileAtomic(stop, `${stopped ?? ''}\n`, 0o600);
    await writeFileAtomic(exit, `${code}\n`, 0o600);
    setTime(exit, ended);
    return { state, exitCode: Number(code), stopped };
  }
}

/** State of a start of which nothing is in the machine. If it was made, its machine is gone, or was replaced. */
const unknownInside = (claim: string): 'dead' | 'none' => (existsSync(claim) ? 'dead' : 'none');

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Writes at a position, so that two processes that follow the same agent write the same. */
function writeAt(path: string, position: number, piece: Buffer): void {
  if (piece.length === 0 && existsSync(path)) return;
  const file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
  try {
    for (let done = 0; done < piece.length;) done += writeSync(file, piece, done, piece.length - done, position + done);
  } finally {
    closeSync(file);
  }
}

function noteAt(path: string, text: string, seconds: number): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeNote(path, text);
  setTime(path, seconds);
}

/**
 * Sets a file's time to the machine's, which is in whole seconds. A time of the last 2 s is kept, as it is more
 * precise.
 */
function setTime(path: string, seconds: number): void {
  const now = Date.now() / 1000;
  if (now - seconds > 2) utimesSync(path, now, seconds);
}
