import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { planFile } from '../../src/store/results-folder.js';
import type {
  ChangesAnswer,
  EventsLine,
  ForecastAnswer,
  MatchesAnswer,
  RunAnswer,
  SweepAnswer,
  SweepsAnswer,
} from '../../src/viewer/protocol.js';
import type { RunEvent } from '../../src/model/records/events.js';
import type { TestProject } from '../commands/project.js';
import { HOSTILE } from '../hostile-texts.js';
import { createHostileProject, LONG_OUTPUT } from './hostile-project.js';
import { ask, firstOf, startViewing, type Viewing } from './viewing.js';

let project: TestProject;
let viewing: Viewing;
let sweep: string;
let run: string;

beforeAll(async () => {
  project = await createHostileProject();
  const { document } = await project.run(['hostile', '--agents', 'hostile', '--name', 'hostile']);
  sweep = document.sweep;
  run = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
  viewing = await startViewing(project);
});
afterAll(async () => {
  await viewing.stop();
  await project.remove();
});

const READS = (): string[] => [
  '/api/sweeps',
  `/api/sweeps/${sweep}`,
  `/api/runs/${run}`,
  `/api/runs/${run}/events`,
  `/api/runs/${run}/events/1`,
  `/api/runs/${run}/matches?text=a`,
  `/api/runs/${run}/changes`,
];

test('reads nothing without the token, for another host or for another origin', async () => {
  const strangers: [number, Record<string, string>][] = [
    [401, { authorization: '' }],
    [401, { authorization: 'Bearer 123' }],
    [403, { host: 'evil.example' }],
    [403, { host: `evil.example:${viewing.port}` }],
    [403, { origin: 'http://evil.example' }],
    [403, { origin: 'null' }],
  ];
  for (const path of READS())
    for (const [wanted, headers] of strangers) {
      const { status, body, headers: given } = await ask(viewing, path, { headers });
      expect({ path, headers, status, keys: Object.keys(JSON.parse(body) as object) }).toEqual({
        path,
        headers,
        status: wanted,
        keys: ['error'],
      });
      expect(Object.keys(given).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
});

test('changes nothing without the token and our own origin', async () => {
  const own = `http://127.0.0.1:${viewing.port}`;
  const asked: [number, Record<string, string>][] = [
    [401, { authorization: '', origin: own }],
    [403, { origin: 'http://evil.example' }],
    [403, {}],
    [403, { origin: own, host: 'evil.example' }],
  ];
  for (const [wanted, headers] of asked)
    expect((await ask(viewing, `/api/sweeps/${sweep}/cancel`, { method: 'POST', headers })).status).toBe(wanted);
  const ended = await ask(viewing, `/api/sweeps/${sweep}/cancel`, {
    method: 'POST',
    headers: { origin: own },
  });
  expect([ended.status, ended.body]).toEqual([400, JSON.stringify({ error: `${sweep} has already ended` })]);
  const other = await ask(viewing, `/api/sweeps/${sweep}/clean`, {
    method: 'POST',
    headers: { origin: own },
  });
  expect(other.status).toBe(400);
});

test('the page may load nothing but itself', async () => {
  const { headers, body } = await ask(viewing, '/', { headers: { authorization: '' } });
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(body).not.toMatch(/https?:\/\//);
  for (const file of ['/app.js', '/app.css']) expect((await ask(viewing, file)).status).toBe(200);
  for (const path of ['/..%2f..%2fpackage.json', '/../package.json', '/api/runs/..%2f..', '/api/sweeps/..'])
    expect((await ask(viewing, path)).status).toBeGreaterThanOrEqual(400);
});

test('lists sweeps, and says why a cell of one failed', async () => {
  const { sweeps, more } = await firstOf<SweepsAnswer>(viewing, '/api/sweeps');
  expect(sweeps).toMatchObject([{ id: sweep, status: 'completed', totals: { cells: 1, failed: 1 } }]);
  expect(more).toBe(0);
  const { runs, open } = await firstOf<SweepAnswer>(viewing, `/api/sweeps/${sweep}`);
  expect(runs).toMatchObject([{ outcome: 'fail', why: expect.stringContaining('<b>bold</b> gate') as unknown }]);
  expect(open).toEqual([]);
});

test('says what it takes to show a change of what a sweep runs', async () => {
  const plan = (effect: string) => ask(viewing, `/api/sweeps/${sweep}/plan?effect=${effect}`);
  const { forecast, curve } = JSON.parse((await plan('30')).body) as ForecastAnswer;
  expect(forecast).toMatchObject({ effect: 0.3, configurations: [{ earlier: { passed: 0, tested: 1 } }] });
  expect(curve.rows).toHaveLength(forecast.curve.length);
  for (const effect of ['0', '100', 'x', '-5']) expect((await plan(effect)).status).toBe(400);
});

test('says it of the mean reward if that decides the sweep', async () => {
  const plan = JSON.parse(await readFile(planFile(project.results, sweep), 'utf8')) as object;
  const base = { kind: 'variant', variant: 'default' };
  const rewards = { base, measure: 'reward', margin: null, alpha: 0.05, most_runs: 20, round_size: 1 };
  const file = planFile(project.results, 'rewarded');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ ...plan, sweep: 'rewarded', until_clear: rewards }));
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  const { body } = await ask(viewing, '/api/sweeps/rewarded/plan?effect=20');
  const { forecast, answers } = JSON.parse(body) as ForecastAnswer;
  expect(forecast).toMatchObject({ measure: 'reward', configurations: [{ reward: { mean: 0.5, earlier: [] } }] });
  expect(answers[0]?.[0]).toBe('to show a change of 20 points of the mean reward in 80 of 100 cases');
});

test('answers with the records of a run as they are stored', async () => {
  const answer = JSON.parse((await ask(viewing, `/api/runs/${run}`)).body) as RunAnswer;
  const stored = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(project.results, run, file), 'utf8'));
  expect(answer).toMatchObject({
    state: 'ended',
    run: await stored('artifacts/run.json'),
    metrics: await stored('metrics.json'),
    siblings: [{ run, repetition: 1, outcome: 'fail' }],
  });
});

test('sends the beginning of long texts, and all of them on request', async () => {
  const { body } = await ask(viewing, `/api/runs/${run}/events`);
  expect(body.length).toBeLessThan(LONG_OUTPUT / 2);
  const events = body
    .trim()
    .split('\n')
    .flatMap((line) => {
      const parsed = JSON.parse(line) as EventsLine;
      return 'events' in parsed ? parsed.events : [];
    });
  const long = events.find(({ type, cut }) => type === 'tool_result' && cut !== undefined);
  const whole = JSON.parse((await ask(viewing, `/api/runs/${run}/events/${long?.seq ?? 0}`)).body) as RunEvent;
  expect(whole).toMatchObject({ type: 'tool_result' });
  expect(JSON.stringify(whole).length).toBe(long?.cut);
  expect(events.find(({ type }) => type === 'message')).toMatchObject({ text: HOSTILE });
  expect((await ask(viewing, `/api/runs/${run}/events/999999`)).status).toBe(404);
});

test('searches all of the transcript, also the part of a text that is not sent', async () => {
  const find = async (text: string): Promise<MatchesAnswer> =>
    JSON.parse((await ask(viewing, `/api/runs/${run}/matches?text=${encodeURIComponent(text)}`)).body) as MatchesAnswer;
  expect(await find('Needle')).toMatchObject({ matches: [{ found: 'needle', after: '' }], more: 0 });
  const hostile = await find('HACKED = 1');
  expect(hostile.matches.length).toBeGreaterThan(1);
  expect(JSON.stringify(hostile)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  for (const text of ['', 'no event contains this']) expect(await find(text)).toEqual({ matches: [], more: 0 });
});

test('compares the workspace with its fixture, and shows text only', async () => {
  const { files } = JSON.parse((await ask(viewing, `/api/runs/${run}/changes`)).body) as ChangesAnswer;
  expect(files.map(({ path, change, lines }) => [path, change, lines === null])).toEqual([
    ['<img src=x onerror=hack>.md', 'added', true],
    ['binary.dat', 'added', true],
  ]);
});

test('says what is unknown or not allowed', async () => {
  for (const path of ['/api/runs/unknown', '/api/runs/unknown/events', '/api/sweeps/unknown'])
    expect((await ask(viewing, path)).status).toBe(404);
  expect((await ask(viewing, `/api/runs/${sweep}`)).status).toBe(404);
  expect((await ask(viewing, '/api/nothing')).status).toBe(404);
});
