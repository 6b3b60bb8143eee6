import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { isAlive, signalProcess } from '../../src/host/process/process-identity.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { processesWith } from '../host/processes.js';
import { randomNumbers } from '../random.js';
import { expectRemoved, linesIn, partOf, pathsBelow, type Part } from '../commands/engine-parts.js';

const VICTIMS = ['worker', 'worker', 'server', 'keeper', 'command'] as const;

export interface Faults {
  cells: number;
  concurrency: number;
  /** The number of parts that are killed, each at a random number of agent starts. */
  faults: number;
  agentSecs: number;
}

/**
 * Runs a sweep while parts of the engine, and the command, are killed at random. Expects one result for every cell,
 * as many agent starts as reported, and no remaining processes or files.
 */
export async function runUnderFaults(seed: number, { cells, concurrency, faults, agentSecs }: Faults): Promise<void> {
  const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
  project.env['LLM_TOOL_TEST_LIMITS'] = JSON.stringify({ retryMs: 1000, engineRetryMs: 1000 });
  const steps = [
    `run: 'echo start >> ${project.folder}/starts'`,
    `wait_secs: ${agentSecs}`,
    `run: 'echo done > out.txt'`,
  ];
  const gates = [
    '{type: file_contains, path: out.txt, substring: done}',
    '{type: command_succeeds, command: "sleep 0.1"}',
  ];
  await project.write('fixtures/many.yaml', scenario('many', { gates, steps }));
  const draw = randomNumbers(seed);
  const killed: string[] = [];

  const args = [
    'run',
    'many',
    '--repeat',
    String(cells),
    '--concurrency',
    String(concurrency),
    '--name',
    'many',
    '--json',
  ];
  let command = project.start(args);
  await until('the first agent runs', () => (linesIn(project, 'starts').length > 0 ? true : null));
  for (let kills = 0; kills < faults; kills += 1) {
    const victim = VICTIMS[Math.floor(draw() * VICTIMS.length)] ?? 'worker';
    const started = linesIn(project, 'starts').length;
    killed.push(`${victim} after ${started} starts`);
    if (victim === 'command') {
      command.kill('SIGKILL');
      await command;
      command = project.start(['resume', 'many', '--json']);
    } else {
      await killSoon(project, victim);
    }
    // The next fault follows after a random number of agent starts, or when no more agents start.
    const target = started + 1 + Math.floor(draw() * (cells / faults));
    await until(
      'more agents, or the end',
      async () => {
        const lines = linesIn(project, 'starts').length;
        return lines >= Math.min(target, cells) || (await results()).size === cells ? true : null;
      },
      300_000,
    );
  }
  await command;
  // A command may have given up because its server was killed; resume follows the sweep to its end.
  const { exitCode, stdout } = await resumeToEnd();
  const document = JSON.parse(stdout) as SweepDocument;
  console.log(`seed ${seed}: ${killed.join(', ')}`);

  expect(document.status).toBe('completed');
  expect(document.totals, JSON.stringify(document.cells.filter(({ outcome }) => outcome !== 'pass'))).toMatchObject({
    passed: cells,
  });
  expect(exitCode).toBe(0);
  const lines = await project.resultLines();
  expect(lines).toHaveLength(cells);
  expect(new Set(lines.map(({ cell }) => cell)).size).toBe(cells);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(cells);
  const admitted = document.cells.reduce((sum, { starts }) => sum + (starts ?? 0), 0);
  expect(linesIn(project, 'starts')).toHaveLength(admitted);

  const leftOver = (): string[] =>
    [project.state, project.results]
      .flatMap((folder) => pathsBelow(folder))
      .filter((file) => /\.tmp$|(^|\/)(env|open-runs)\/./.test(file));
  await until('nothing is left over', () => (leftOver().length === 0 ? true : null));
  expectRemoved(project, 'many');
  for (const { id } of lines) expect(markedProcesses(opaqueId(id))).toEqual([]);

  await project.cli(['engine', 'stop']);
  for (const folder of [project.folder, project.state]) expect(processesWith(folder)).toEqual([]);
  const locks = readdirSync(project.state, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.lock\.\d+$/.test(file))
    .map((file) => readFileSync(join(project.state, file), 'utf8'));
  expect(locks).toEqual(['"released"']);
  await project.remove();

  async function results(): Promise<Set<string>> {
    return new Set((await project.resultLines()).map(({ cell }) => cell));
  }

  async function resumeToEnd(): Promise<{ exitCode: number | undefined; stdout: string }> {
    for (;;) {
      const ended = await project.cli(['resume', 'many', '--json']);
      if (ended.exitCode !== 3 || (await results()).size === cells) return ended;
      await sleep(100);
    }
  }
}

/** Kills the current process of a part. Does nothing while the part is being restarted. */
export async function killSoon(project: TestProject, part: Part): Promise<void> {
  const identity = await partOf(project, part);
  if (identity !== null) signalProcess(identity, 'SIGKILL');
  if (part !== 'keeper') return;
  // Without a keeper nothing restarts the other parts, so a command starts a new one. While the old one is dying, the
  // command would take it for running.
  await until('death of the keeper', () => (identity !== null && isAlive(identity) ? null : true));
  await project.cli(['engine', 'start']);
}
