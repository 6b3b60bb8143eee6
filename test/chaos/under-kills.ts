import { expect } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { RUN_MARK } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { kill, type Part, partOf } from '../commands/engine-parts.js';
import { documentOf, openRun, type TestProject, until } from '../commands/project.js';
import { killProcess, processesWith, readProc } from '../host/processes.js';

const BACK_MS = 300_000;

/** Kills a part of the engine, and waits until there is another. */
export async function killPart(project: TestProject, part: Part): Promise<void> {
  await kill(project, part);
  await until(`another ${part}`, () => partOf(project, part), BACK_MS);
}

/** Kills the whole engine, as the end of its machine does, and starts it again. `meanwhile`: what else ends with it. */
export async function killEngine(project: TestProject, meanwhile = async (): Promise<void> => {}): Promise<void> {
  await kill(project, 'keeper');
  for (const part of ['worker', 'server'] as const)
    if ((await partOf(project, part)) !== null) await kill(project, part);
  await meanwhile();
  const start = async () => ((await project.start(['engine', 'start'])).exitCode === 0 ? true : null);
  await until('an engine', start, BACK_MS);
}

/** Stops the worker without its end, and waits until there is another. */
export async function freezeWorker(project: TestProject): Promise<void> {
  const worker = await until('a worker', () => partOf(project, 'worker'));
  killProcess(worker.pid, 'SIGSTOP');
  const another = async () => ((await partOf(project, 'worker'))?.pid ?? worker.pid) !== worker.pid;
  await until('another worker', async () => ((await another()) ? true : null), BACK_MS);
}

/** True of an agent with a text in its command line, which that of its supervisor has too. */
const isAgent = (pid: number, text: string): boolean => {
  const command = readProc(pid, 'cmdline');
  return command.includes(text) && !command.includes('/supervisor/');
};

/** The processes of this machine with a text in their command lines that no other such process has started. */
const firstWith = (text: string): number[] =>
  processesWith(text).filter((pid) => {
    const [, parent] = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
    return isAgent(pid, text) && !isAgent(Number(parent), text);
  });

const markOf = (pid: number): string | undefined =>
  new RegExp(`(?:^|\0)${RUN_MARK}=([^\0/]*)`).exec(readProc(pid, 'environ'))?.[1];

/** The marks of the runs that have a process with a text in its command line. */
export const runsWith = (text: string): string[] => firstWith(text).flatMap((pid) => markOf(pid) ?? []);

/** Sees each start of an agent on this machine, also in containers and pods, by the mark of its run. */
function watchStarts(text: string): { seen: Map<string, Set<string>>; stop: () => void } {
  const seen = new Map<string, Set<string>>();
  const look = (): void => {
    for (const pid of firstWith(text)) {
      const [mark, fields] = [markOf(pid), readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []];
      if (mark !== undefined) seen.set(mark, (seen.get(mark) ?? new Set()).add(`${pid} ${fields[19]}`));
    }
  };
  const timer = setInterval(look, 250);
  return { seen, stop: () => clearInterval(timer) };
}

export interface SweepUnderFaults<State extends string> {
  /** Arguments of `run`. */
  args: string[];
  cells: number;
  /** The number of faults that are caused, in this order. */
  count: number;
  /** Each with its name, and the state that it waits for. */
  faults: readonly (readonly [string, State, () => Promise<void> | void])[];
  isIn: (state: State) => Promise<boolean> | boolean;
  /** Text in the command line of every start of an agent. */
  agent: string;
  minutes: number;
}

/**
 * Runs a sweep under faults, each caused when its share of the cells has ended and its state is seen. Expects one
 * result for each cell, and no start of an agent for which its report gives no reason. Returns the document.
 */
export async function sweepUnderFaults<State extends string>(
  project: TestProject,
  { args, cells, count, faults, isIn, agent, minutes }: SweepUnderFaults<State>,
): Promise<SweepDocument> {
  const ended = async (): Promise<number> => (await project.resultLines()).length;
  const untilBusy = (share: number, state: State): Promise<true> =>
    until(
      `${state} is under way`,
      async () => {
        const now = await ended();
        return now >= cells - 1 || (now >= share && (await isIn(state))) ? true : null;
      },
      minutes * 60_000,
    );
  const startedAt = Date.now();
  const log = (text: string) => console.log(`${Math.round((Date.now() - startedAt) / 1000)} s: ${text}`);
  const starts = watchStarts(agent);
  const command = await project.start(['run', ...args, '--name', 'kills', '--detach', '--json']);
  expect(command.exitCode, command.stderr).toBe(0);
  for (let at = 0; at < count; at += 1) {
    const fault = faults[at % faults.length];
    if (fault === undefined) break;
    const [name, state, cause] = fault;
    await untilBusy(Math.floor((at * cells) / (count + 1)), state);
    log(`${await ended()} of ${cells} ended: ${name}`);
    await cause();
  }
  const { stdout, stderr } = await project.start(['resume', 'kills', '--json']);
  starts.stop();
  log('the sweep has ended');
  const document = documentOf(stdout);
  expect(document.cells, stderr).toHaveLength(cells);
  const lines = (await project.resultLines()).map(({ cell }) => cell);
  expect(lines.sort()).toEqual(document.cells.map(({ id }) => id).sort());
  const unexplained: unknown[] = [];
  for (const [at, { id, outcome }] of document.cells.entries()) {
    const { run } = await openRun(document, at);
    const recorded = run.starts ?? 0;
    const history = [...(run.agent?.history ?? []), ...run.warnings];
    const seen = starts.seen.get(opaqueId(run.run_id))?.size ?? 0;
    // A start is lost with its process, or with the container or pod in which an attempt fails.
    const reasons = history.filter((line) =>
      /start \d+ of the agent (was lost|ended: )|^attempt \d+ ended: /.test(line),
    );
    if (seen > 1 || recorded > 1)
      console.log(`${id}: ${outcome}, ${seen} starts seen, ${recorded} recorded: ${history.join('; ')}`);
    if (seen > recorded || recorded - 1 > reasons.length) unexplained.push([id, { seen, recorded, history }]);
  }
  expect(unexplained).toEqual([]);
  // On a busy machine one may end unseen.
  expect(starts.seen.size).toBeGreaterThan(cells / 8);
  return document;
}
