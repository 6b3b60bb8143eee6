import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, it, onTestFinished } from 'vitest';
import { killMarked, markedProcesses, markOf } from '../../src/host/process/marked-processes.js';
import {
  startSupervised,
  waitForEnd,
  type SupervisedCommand,
  type SupervisedState,
} from '../../src/host/process/supervise.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { allGone, killWhenFinished, processesWith, uniqueSeconds } from './processes.js';
import { newFolder, setEnv } from './temporary.js';

export const PATH = '/usr/local/bin:/usr/bin:/bin';
export const LONG_MS = 120_000;

/** Returns why a mode cannot be tested here; null if it can. */
function obstacle(...flags: string[]): string | null {
  const probe = spawnSync('unshare', [...flags, '--pid', '--fork', '--kill-child=KILL', '--mount-proc', 'true']);
  return probe.status === 0 ? null : `unshare ${flags.join(' ')}: ${String(probe.stderr).trim()}`;
}

const MODES = [
  { mode: 'pidns', skipped: obstacle() },
  { mode: 'userns', skipped: obstacle('--user', '--map-current-user') },
  { mode: 'group', skipped: null },
] as const;

export interface Started extends SupervisedCommand {
  /** Identifies the command lines of all processes that the agent starts. */
  seconds: string;
  out(): string;
  err(): string;
  end(): Promise<SupervisedState>;
}

/** A supervised `sh -c`, killed after the test. `$S` in it is an argument of `sleep` that identifies its processes. */
export async function prepare(shell: string, changes: Partial<SupervisedCommand> = {}): Promise<Started> {
  const root = await newFolder();
  const seconds = uniqueSeconds();
  const [folder, cwd, stdin] = [join(root, 'start'), join(root, 'work'), join(root, 'in')];
  await mkdir(cwd);
  await writeFile(stdin, '');
  const mark = `run-${seconds}`;
  killWhenFinished(seconds);
  killWhenFinished(folder);
  onTestFinished(() => killMarked(mark));
  return {
    seconds,
    folder,
    cwd,
    stdin,
    mark,
    argv: ['sh', '-c', shell],
    env: { PATH, S: seconds },
    deadlineSecs: Number(uniqueSeconds()),
    idleSecs: null,
    out: () => readFileSync(join(folder, 'out'), 'utf8'),
    err: () => readFileSync(join(folder, 'err'), 'utf8'),
    end: () => waitForEnd(folder, AbortSignal.timeout(LONG_MS)),
    ...changes,
  };
}

export async function start(shell: string, changes?: Partial<SupervisedCommand>): Promise<Started> {
  const command = await prepare(shell, changes);
  await startSupervised(command);
  return command;
}

/**
 * Processes of the agent, without those of the supervisor: its shells, and the `grep` that looks for the mark, have the
 * same number among their arguments. Looks twice, because the supervisor starts and ends processes in between.
 */
const ofAgent = (command: Started): number[] => {
  const found = processesWith(command.seconds);
  const ofSupervisor = markedProcesses(markOf(command.mark, 'supervisor'));
  return processesWith(command.seconds).filter((pid) => found.includes(pid) && !ofSupervisor.includes(pid));
};

/** True if everything the agent started ends within `timeoutMs`; processes of the supervisor may take longer. */
export const nothingLeft = async (command: Started, timeoutMs = 0): Promise<boolean> =>
  (await waitUntil(() => (ofAgent(command).length === 0 ? true : null), timeoutMs, 10)) === true &&
  (await allGone(command.folder)) &&
  (await allGone(`sleep\0${command.deadlineSecs}\0`)) &&
  // The short sleeps of the supervisor also carry the mark of the run.
  (await waitUntil(() => (markedProcesses(command.mark).length === 0 ? true : null), 10_000, 10)) === true;

/** Defines tests for each mode of containment; if a mode is not available here, they are skipped with the reason. */
export function inEachMode(define: (test: ReturnType<typeof it.skipIf>, mode: string) => void): void {
  describe.each(MODES)('an agent under supervision, mode $mode', ({ mode, skipped }) => {
    if (skipped !== null) it.skip(`cannot be tested here: ${skipped}`);
    beforeEach(() => setEnv({ LLM_TOOL_TEST_CONTAINMENT: mode }));
    define(it.skipIf(skipped !== null), mode);
  });
}
