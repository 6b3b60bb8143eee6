import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  bootId,
  inspect,
  killSupervisor,
  readTextIfThere,
  spawnDetached,
  supervisorScript,
  waitUntil,
  writeNote,
} from '#host';
import type { EnvironmentHandle } from '../environment.js';
import { startFiles, startNumbers } from '../journal.js';

/**
 * Claims of the processes of this host by which the output of a start comes out of its machine. Each try has two: of
 * what writes it, and of what then notes that it was all.
 */
const STREAM = 'stream-';
const ENDING_MS = 10_000;

const streamsIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(STREAM))
    .map((name) => join(folder, name));

/** Notes that a part of a start's output was copied from its machine, where it could have been changed. */
const copiedNote = (folder: string): string => join(folder, 'copied');

/** Notes that the agent of a start was root: it could replace programs that later starts in its machine use. */
const rootNote = (folder: string): string => join(folder, 'root');

/** Has the exit status of relay.pl, as far as it was told. */
const statusNote = (folder: string): string => join(folder, 'streamed');

const NO_SUPERVISOR = '75';
/** The end of the last stream of a start, by the exit status of relay.pl. */
const ENDS: Readonly<Record<string, 'whole' | 'without supervisor'>> = {
  /** All output has come: what else is in the machine, the agent has put there. */
  0: 'whole',
  /** The supervisor had not asked for an end. An exit status of the agent is not from it. */
  [NO_SUPERVISOR]: 'without supervisor',
};

export const streamEnd = async (folder: string): Promise<(typeof ENDS)[string] | 'unknown'> =>
  ENDS[(await readTextIfThere(statusNote(folder))) ?? ''] ?? 'unknown';

/**
 * Runs relay.pl in a machine. What it prints there is appended to the output of the start by a process that outlives
 * this one. `argv`: the command line that runs it, given the script on standard input. `uid`: that of the agent.
 */
export async function startStream(
  handle: EnvironmentHandle,
  start: number,
  argv: readonly string[],
  uid: string,
): Promise<void> {
  const { folder, stdout, stderr } = startFiles(handle, start);
  // An earlier try, which has not started the agent, may have left a message.
  for (const file of [stdout, stderr]) rmSync(file, { force: true });
  if (uid === '0') writeNote(rootNote(folder), '');
  const id = randomBytes(4).toString('hex');
  const claims = ['', '-end'].map((end) => join(folder, `${STREAM}${id}${end}`));
  for (const claim of claims) mkdirSync(claim, { mode: 0o700 });
  const [writer = '', noter = ''] = claims;
  const claimed = (claim: string, script: string, first: string): string[] => [
    ...['sh', supervisorScript('claim.sh'), claim, 'container', bootId()],
    ...['sh', '-c', script, first],
  ];
  await spawnDetached({
    argv: [
      ...claimed(noter, '"$@"; printf %s $? >"$0"', statusNote(folder)),
      ...claimed(writer, 'exec "$@" <"$0" >>out 2>>err', supervisorScript('relay.pl')),
      ...argv,
    ],
    cwd: folder,
    env: process.env as Record<string, string>,
  });
}

const isAlive = async (stream: string): Promise<boolean> =>
  ['starting', 'running'].includes((await inspect(stream)).state);

/** Returns whether the output of a start is appended to its files by a process that lives. */
export async function isStreaming(folder: string): Promise<boolean> {
  for (const stream of streamsIn(folder)) if (await isAlive(stream)) return true;
  return false;
}

/** Waits until nothing is appended to the output of a start any more. Returns false if that had to be ended. */
export async function endStreams(folder: string): Promise<boolean> {
  const ended = await waitUntil(async () => ((await isStreaming(folder)) ? null : true), ENDING_MS, 10);
  if (ended !== null) return true;
  // The process that would note the end comes first.
  for (const stream of streamsIn(folder).sort().reverse()) await killSupervisor(stream);
  writeNote(statusNote(folder), NO_SUPERVISOR);
  return false;
}

/** Notes that output is copied from the machine, if it should have come by a stream. */
export function noteCopied(folder: string): void {
  if (streamsIn(folder).length > 0) mkdirSync(copiedNote(folder), { recursive: true });
}

/**
 * The way in which the output of all starts of an agent came to this host. `copied`: a stream was cut. `after root`: a
 * start has followed one in which the agent was root.
 */
export function wayOfOutput({
  journal,
}: Pick<EnvironmentHandle, 'journal'>): 'streamed' | 'copied' | 'after root' | 'never streamed' {
  const begun = startNumbers({ journal })
    .sort((a, b) => a - b)
    .map((start) => startFiles({ journal }, start))
    // Not if its machine was gone before it began.
    .filter(({ stdout }) => existsSync(stdout))
    .map(({ folder }) => folder);
  if (begun.some((folder) => streamsIn(folder).length === 0)) return 'never streamed';
  if (begun.some((folder) => existsSync(copiedNote(folder)))) return 'copied';
  return begun.slice(0, -1).some((folder) => existsSync(rootNote(folder))) ? 'after root' : 'streamed';
}
