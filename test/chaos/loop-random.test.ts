import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { startModelServer } from '../agents/model-server/server.js';
import { expectRemoved } from '../commands/engine-parts.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario } from '../commands/project.js';
import { processesWith } from '../host/processes.js';
import { randomNumbers } from '../random.js';
import { killSoon } from './random-faults.js';

/** CHAOS_LOOP=30,20,40 has 30 runs of 20 calls under 40 kills; CHAOS_SEEDS=4 uses another seed. */
const [RUNS = 6, CALLS = 10, KILLS = 8] = (process.env['CHAOS_LOOP'] ?? '6,10,8').split(',').map(Number);
const SEED = Number((process.env['CHAOS_SEEDS'] ?? '1').split(',')[0]);
/** Tokens that the scripted model reports for an answer. */
const [INPUT, OUTPUT, CACHED] = [1000, 50, 100];
const VICTIMS = [['worker'], ['worker'], ['server'], ['keeper'], ['keeper', 'worker', 'server']] as const;
const LOST = 'a request to the model whose answer was lost';

test('under random kills, the agent loop repeats only requests that were on their way, and counts them all', async () => {
  const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
  project.env['LLM_TOOL_TEST_LIMITS'] = JSON.stringify({ retryMs: 1000, engineRetryMs: 1000, requestsPerHistory: 7 });
  const calls = Array.from({ length: CALLS }, (_, at) => ({ run: `echo ${at} >> out.txt; sleep 0.0${at % 10}` }));
  const server = await startModelServer([{ steps: [...calls, { say: 'All is done.' }], delay_ms: 60 }]);
  const env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
  await project.write('fixtures/many.yaml', scenario('many', { gates: ['{type: file_exists, path: out.txt}'] }));
  const draw = randomNumbers(SEED);
  const killed: string[] = [];

  const model = ['--agents', 'loop', '--models', 'openai/scripted-model'];
  const size = ['--repeat', String(RUNS), '--concurrency', '6', '--name', 'many'];
  const command = project.start(['run', 'many', ...model, ...size, '--json'], env);
  const total = RUNS * (CALLS + 1);
  for (let kills = 0; kills < KILLS; kills += 1) {
    const target = Math.floor(((kills + draw()) / KILLS) * total);
    await server.until((requests) => requests.length >= target);
    const victims = VICTIMS[Math.floor(draw() * VICTIMS.length)] ?? ['worker'];
    killed.push(`${victims.join(' and ')} after ${server.requests.length} requests`);
    // Somewhere in a request or a call.
    await sleep(draw() * 100);
    for (const victim of victims) await killSoon(project, victim);
  }
  await command;
  const document = await followToEnd();
  console.log(`seed ${SEED}: ${killed.join(', ')}`);

  const failed = document.cells.filter(({ outcome }) => outcome !== 'pass');
  expect(document.totals, JSON.stringify(failed)).toMatchObject({ passed: RUNS });
  const lines = await project.resultLines();
  expect(new Set(lines.map(({ cell }) => cell)).size).toBe(RUNS);
  let repeated = 0;
  let lost = 0;
  for (const cell of document.cells.keys()) {
    const { run, text } = await openRun(document, cell);
    const id = opaqueId(run.run_id);
    // No call is repeated.
    expect(await text('fixture/out.txt')).toBe(calls.map((_, at) => `${at}\n`).join(''));
    const events = await text('artifacts/events.jsonl');
    const ofRun = events.split(LOST).length - 1;
    const usage = ofRun === 0 ? run.agent?.token_usage : run.agent?.token_usage_at_least;
    const answers = CALLS + 1;
    expect(usage).toMatchObject({ input: answers * INPUT, output: answers * OUTPUT, cache_read: answers * CACHED });
    const asked = server.requests.filter(({ system }) => system.includes(id)).length;
    // One may have been lost before it was sent.
    expect(asked - answers).toBeLessThanOrEqual(ofRun);
    expect(asked).toBeGreaterThanOrEqual(answers);
    repeated += asked - answers;
    lost += ofRun;
    expect(markedProcesses(id)).toEqual([]);
  }
  console.log(`${RUNS} runs, ${server.requests.length} requests, ${repeated} repeated, ${lost} counted as lost`);
  expect(server.requests).toHaveLength(total + repeated);
  // The runs at once, each of which has one request on its way at most.
  expect(lost).toBeLessThanOrEqual(KILLS * 6);
  expectRemoved(project, 'many');
  await project.cli(['engine', 'stop']);
  for (const folder of [project.folder, project.state]) expect(processesWith(folder)).toEqual([]);
  await server.close();
  await project.remove();

  async function followToEnd(): Promise<SweepDocument> {
    for (;;) {
      const { exitCode, stdout } = await project.cli(['resume', 'many', '--json'], env);
      if (exitCode !== 3 || (await project.resultLines()).length === RUNS) return JSON.parse(stdout) as SweepDocument;
      await sleep(100);
    }
  }
});
