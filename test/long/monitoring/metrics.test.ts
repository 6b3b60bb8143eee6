import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { METRICS } from '../../../src/engine/metrics/metrics.js';
import { anyFreePort } from '../../../src/engine/server.js';
import { kill, partOf } from '../../commands/engine-parts.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  REPOSITORY,
  scenario,
  until,
  type TestProject,
} from '../../commands/project.js';
import { alerts, dashboardQueries, filledIn, metricsIn } from './dashboard.js';
import { parseScrape, valueOf, type Sample } from './scrape.js';

const ENV = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test' };

/** Imitates Codex at the limit of its account while the file `at-limit` exists. */
const CODEX = `#!/bin/sh
[ "$1" = --version ] && echo 'codex-cli 0.0.1' && exit
printf '{"type":"thread.started","thread_id":"thread-1"}\\n{"type":"turn.started"}\\n'
if [ -e "$(dirname "$0")/at-limit" ]; then
  printf '{"type":"turn.failed","error":{"message":"You have hit your usage limit. Try again in 3 hours."}}\\n'
  exit 1
fi
echo ok > out.txt
printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}\\n'
printf '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}\\n'
`;

/** Imitates OpenCode, which reports a cost. */
const OPENCODE = `#!/bin/sh
[ "$1" = --version ] && echo 0.0.1 && exit
echo ok > out.txt
printf '{"type":"step_start","sessionID":"ses_1","part":{}}\\n{"type":"text","sessionID":"ses_1","part":{"text":"Done."}}\\n'
printf '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","cost":0.25,"tokens":{"input":9,"output":5}}}\\n'
`;

const CONFIG = `
[agents.codex]
command = "./codex"
models = ["gpt-5.5"]

[agents.opencode]
command = "./opencode"
models = ["openai/gpt-5.5"]
`;
const IS_DONE = ['{type: file_contains, path: out.txt, substring: ok}'];

let project: TestProject;
let address: string;

beforeAll(async () => {
  address = `127.0.0.1:${await anyFreePort()}`;
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'llm-tool-test-config.toml': CONFIG,
      'fixtures/mocked.yaml': scenario('mocked', { steps: ['say: x'] }),
      'fixtures/failing.yaml': scenario('failing', { gates: IS_DONE, steps: ['say: x'] }),
      'fixtures/paid.yaml': scenario('paid', { gates: IS_DONE, more: 'tool_matrix: [{agent: opencode}]' }),
      'fixtures/limited.yaml': scenario('limited', {
        gates: IS_DONE,
        more: 'tool_matrix: [{agent: codex}]',
      }),
      'at-limit': '',
    },
    { ownEngine: true },
  );
  await project.write('codex', CODEX, 0o755);
  await project.write('opencode', OPENCODE, 0o755);
  Object.assign(project.env, ENV, {
    LLM_TOOL_TEST_METRICS: address,
    LLM_TOOL_TEST_LIMITS: JSON.stringify({ watchMs: 500 }),
  });
});
afterAll(() => project.remove());

/** Names of all metrics that a worker has served. */
const served = new Set<string>();

async function scrape(): Promise<Sample[]> {
  const samples = parseScrape(await (await fetch(`http://${address}/metrics`)).text());
  for (const { name } of samples) served.add(name);
  return samples;
}

/** Waits until a metric has a value; a worker looks at its open runs again and again. */
const untilValue = (name: string, labels: Record<string, string>, wanted: (value: number) => boolean) =>
  until(`${name} ${JSON.stringify(labels)}`, async () => {
    const value = valueOf(await scrape().catch(() => []), name, labels);
    return value !== null && wanted(value) ? value : null;
  });

test('a worker counts cells by outcome, spend and steps, and shows running agents and open runs', async () => {
  const { document } = await project.run(['mocked', 'failing', 'paid', '--repeat', '2']);
  expect(document.totals).toMatchObject({ cells: 6 });
  const samples = await scrape();
  const cells = (labels: Record<string, string>) => valueOf(samples, METRICS.cells.name, labels);
  expect(cells({ agent: 'mock', outcome: 'pass' })).toBe(2);
  expect(cells({ agent: 'mock', outcome: 'fail' })).toBe(2);
  expect(cells({ agent: 'opencode', model: 'openai/gpt-5.5', outcome: 'pass' })).toBe(2);
  expect(valueOf(samples, METRICS.spend.name, { agent: 'opencode' })).toBe(500_000);
  expect(valueOf(samples, `${METRICS.cost.name}_sum`, { agent: 'opencode' })).toBe(0.5);
  expect(valueOf(samples, `${METRICS.cost.name}_count`, { agent: 'opencode' })).toBe(2);
  expect(valueOf(samples, METRICS.agents.name)).toBe(0);
  expect(valueOf(samples, `${METRICS.steps.name}_count`, { step: 'runAgent', result: 'done' })).toBe(6);
  expect(valueOf(samples, METRICS.build.name)).toBe(1);

  // Taken from the cache: counted as reused, and nothing is spent.
  await project.run(['paid']);
  const after = await scrape();
  expect(valueOf(after, METRICS.cells.name, { agent: 'opencode', reused: 'true' })).toBe(1);
  expect(valueOf(after, METRICS.spend.name, { agent: 'opencode' })).toBe(500_000);
});

test('runs that wait for a provider are shown, also by the next worker', async () => {
  const { stdout } = await project.cli(['run', 'limited', '--detach', '--json']);
  const { sweep } = documentOf(stdout);
  const waiting = { agent: 'codex', why: 'limit' };
  await untilValue(METRICS.waiting.name, waiting, (value) => value === 1);
  expect(valueOf(await scrape(), METRICS.waits.name, waiting)).toBe(1);
  const inThreeHours = Date.now() / 1000 + 3 * 3600;
  const end = await untilValue(METRICS.limits.name, { provider: 'openai' }, (value) => value > 0);
  expect(Math.abs(end - inThreeHours)).toBeLessThan(600);

  const before = await partOf(project, 'worker');
  await kill(project, 'worker');
  await until('another worker', async () => {
    const now = await partOf(project, 'worker');
    return now !== null && now.pid !== before?.pid ? true : null;
  });
  await untilValue(METRICS.waiting.name, waiting, (value) => value === 1);
  await untilValue(METRICS.openRuns.name, {}, (value) => value === 1);
  // Counters begin at 0 again, as Prometheus expects.
  expect(valueOf(await scrape(), METRICS.waits.name, waiting)).toBe(null);

  await rm(join(project.folder, 'at-limit'));
  const retried = await project.cli(['retry', sweep, '--now', '--json']);
  expect(documentOf(retried.stdout).totals).toMatchObject({ passed: 1 });
  await untilValue(METRICS.waiting.name, waiting, (value) => value === 0);
  await untilValue(METRICS.openRuns.name, {}, (value) => value === 0);
});

/** Only workers of shared results have slots; `test/engine/metrics` tests them. */
const OF_HOSTS: readonly string[] = [METRICS.slots, METRICS.freeSlots, METRICS.oldestRun, METRICS.cellsWaiting].map(
  ({ name }) => name,
);
/** Shown by the SDK only after the first failure of that kind. */
const OF_FAILURES = /^temporal_(.*_failed|request_failure)_total$/;

test('the dashboard and the alerts use only metrics that exist', async () => {
  await scrape();
  const queried = (queries: { expr: string }[]): string[] => queries.flatMap(({ expr }) => metricsIn(expr));
  const used = [...new Set(queried(dashboardQueries()))];
  const known = (name: string): boolean =>
    served.has(name) || OF_HOSTS.includes(name) || (OF_FAILURES.test(name) && isOfSdk(name));
  expect([...used, ...queried(alerts())].filter((name) => !known(name))).toEqual([]);
  // All of ours are in the dashboard.
  const shown = Object.values(METRICS).filter(({ name }) => used.some((one) => one.startsWith(name)));
  expect(shown).toHaveLength(Object.keys(METRICS).length);
});

/** True if the SDK's native part knows a metric by this name. */
function isOfSdk(name: string): boolean {
  const folder = join(REPOSITORY, 'node_modules/@temporalio/core-bridge/releases');
  const own = readdirSync(folder).find(
    (triple) =>
      triple.startsWith(process.arch === 'x64' ? 'x86_64' : 'aarch64') &&
      triple.includes(process.platform === 'darwin' ? 'apple' : 'linux'),
  );
  const plain = name.replace(/^temporal_|_total$/g, '');
  return readFileSync(join(folder, own ?? '', 'index.node')).includes(plain);
}

/** Panels without data here: nothing failed or waited since the worker started, and it has no slots. */
const OF_WHAT_DID_NOT_HAPPEN = [
  'Free slots',
  'Slots',
  'Cells that wait for a slot',
  'Oldest run',
  'Failures',
  'Waits',
  'Attempts that were not done',
];

test('Prometheus reads the scrape, and answers every query of the dashboard', async ({ skip }) => {
  const version = await execa('prometheus', ['--version'], { reject: false });
  if (version.failed) skip('prometheus is not on PATH (Debian: prometheus)');
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-prometheus-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `scrape_configs: [{job_name: workers, scrape_interval: 1s, static_configs: [{targets: ['${address}']}]}]\n`,
  );
  const port = await anyFreePort();
  const prometheus = spawn(
    'prometheus',
    [
      ...['--config.file', join(folder, 'prometheus.yml'), '--storage.tsdb.path', join(folder, 'data')],
      ...['--web.listen-address', `127.0.0.1:${port}`, '--log.level', 'error'],
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(async () => {
    if (prometheus.exitCode === null && prometheus.kill('SIGKILL')) await once(prometheus, 'exit');
  });
  const query = async (expr: string): Promise<{ status: string; data?: { result: unknown[] } }> => {
    const at = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`;
    return (await (await fetch(at)).json()) as { status: string; data?: { result: unknown[] } };
  };
  const results = async (expr: string): Promise<number> => (await query(expr)).data?.result.length ?? -1;
  // Prometheus has seen the counters, and then sees them increase.
  await project.run(['mocked', 'failing', 'paid', '--no-cache']);
  await until('the first scrape', async () =>
    (await results('llm_tool_test_cells_total{agent="opencode"} > 0').catch(() => 0)) > 0 ? true : null,
  );
  await project.run(['mocked', 'failing', 'paid', '--no-cache']);
  await until('a rate', async () =>
    (await results('rate(llm_tool_test_cells_total{outcome="pass"}[1m]) > 0')) > 0 ? true : null,
  );
  const empty: string[] = [];
  for (const { panel, expr } of dashboardQueries()) {
    const { status, data } = await query(filledIn(expr));
    expect([panel, status]).toEqual([panel, 'success']);
    if (data?.result.length === 0) empty.push(panel);
  }
  expect([...new Set(empty)].filter((panel) => !OF_WHAT_DID_NOT_HAPPEN.includes(panel))).toEqual([]);
});

test('a worker does not start if it cannot serve its metrics', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const server = ['--address', inject('temporalAddress')];
  const worker = (at: string) =>
    project.start(['worker', ...server, '--results', `${project.folder}/shared`, '--metrics', at], {
      LLM_TOOL_TEST_METRICS: '',
    });
  const taken = `cannot serve metrics at 127.0.0.1:${port}: Address already in use; choose another port with --metrics or LLM_TOOL_TEST_METRICS (each worker needs one of its own)`;
  const refused = await worker(`127.0.0.1:${port}`);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`error: ${taken}`)]);
  for (const wrong of ['9464', 'example.com:9464', '127.0.0.1:70000']) {
    const { exitCode, stderr } = await worker(wrong);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`cannot serve metrics at '${wrong}'; expected an IP address and a port`),
    ]);
  }
  // The worker of a local engine: the command says why it does not start, and starts no sweep.
  const own = await createProject(
    { ...EMPTY_FIXTURE, 'fixtures/mocked.yaml': scenario('mocked', { steps: ['say: x'] }) },
    { ownEngine: true },
  );
  onTestFinished(() => own.remove());
  const ended = await own.start(['run', 'mocked'], {
    LLM_TOOL_TEST_METRICS: `127.0.0.1:${port}`,
    LLM_TOOL_TEST_LIMITS: JSON.stringify({ engineRetryMs: 200 }),
  });
  expect([ended.exitCode, ended.stderr]).toEqual([3, expect.stringContaining(taken)]);
});
