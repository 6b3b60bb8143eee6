import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createJudgedProject,
  FAILING,
  GATE,
  judged,
  judgeEnv,
  judgment,
  KEYS,
  RUBRIC,
  scriptModels,
} from './judged-project.js';
import { createModelServer, type Asked, type ModelServer } from './model-server.js';
import { answersIn, filesBelow, openRun, until, type RunFolder, type TestProject } from './project.js';

let server: ModelServer;
let project: TestProject;
let env: Record<string, string>;

beforeAll(async () => {
  server = await createModelServer();
  env = judgeEnv(server);
  project = await createJudgedProject(server);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

/** Runs scenarios in one sweep, and opens the results folder of each run. */
async function runAll(
  texts: Record<string, string>,
  args: string[] = [],
  more: Record<string, string> = {},
): Promise<{ exitCode: number | undefined; stderr: string; runs: Record<string, RunFolder> }> {
  for (const [name, text] of Object.entries(texts)) await project.write(`fixtures/${name}.yaml`, text);
  const { exitCode, document, stderr } = await project.run([...Object.keys(texts), '--concurrency', '20', ...args], {
    ...env,
    ...more,
  });
  const opened = document.cells.map(async ({ scenario: name }, at): Promise<[string, RunFolder]> => [
    name,
    await openRun(document, at),
  ]);
  return { exitCode, stderr, runs: Object.fromEntries(await Promise.all(opened)) };
}

const judgeStep = ({ run }: RunFolder) => run.steps.find(({ name }) => name === 'judge');
const promptOf = ({ body }: Asked): string =>
  (JSON.parse(body) as { messages: { content: string }[] }).messages.map(({ content }) => content).join('\n');

describe('a sweep of judged runs', () => {
  let runs: Record<string, RunFolder>;
  let exitCode: number | undefined;
  const of = (name: string): RunFolder => {
    const found = runs[name];
    if (found === undefined) throw new Error(`no run of ${name}`);
    return found;
  };

  beforeAll(async () => {
    scriptModels(server);
    const steps = ['run: echo milk > note.txt; env > env.txt'];
    ({ exitCode, runs } = await runAll({
      good: judged('good', 'house/good', { steps }),
      leaky: judged('leaky', 'house/leaky'),
      low: judged('low', 'house/low'),
      gated: judged('gated', 'house/never', { gates: [GATE, FAILING] }),
      always: judged('always', 'house/strict', { gates: [FAILING], judge: ', always: true' }),
      ungated: judged('ungated', null, { gates: [] }),
      quit: judged('quit', 'house/never', { gates: [], steps: ['exit: 3'] }),
      limited: judged('limited', 'house/limited'),
      shaky: judged('shaky', 'house/shaky'),
      sloppy: judged('sloppy', 'house/sloppy'),
      plain: judged('plain', 'house/plain'),
      voting: judged('voting', 'house/voting', { judge: ', votes: 3' }),
      anthropic: judged('anthropic', 'anthropic/claude-sonnet-4-5'),
      openai: judged('openai', 'openai/gpt-5.1'),
      google: judged('google', 'google/gemini-2.5-pro'),
    }));
  });

  test('a run that reaches the threshold passes; the weighted score is computed here, not taken from the model', async () => {
    const { metrics, run, text } = of('good');
    expect(run).toMatchObject({ outcome: 'pass', message: '1/1 gates passed; judge 0.80' });
    expect(metrics.judge).toEqual({
      model: 'house/good',
      model_used: 'good-served',
      scores: { correct: 1, tidy: 0.5 },
      weighted_score: 0.8,
      votes: [0.8],
      spread: null,
      confidence: 0.8,
      issues: ['the note has no date'],
      highlights: ['one command was enough'],
      fields: { summary: 'fine' },
      pass_threshold: 0.7,
      passed: true,
      usage: { input: 100, output: 20, reasoning: 0, cache_read: 0, cache_write: null },
      cost_usd: 0,
      attempts: 1,
    });
    expect(await text('report.md')).toContain('0.80, reaches the threshold 0.70');
    expect(await text('evaluation.md')).toContain('**4/5** (0.80, reaches the threshold 0.70)');
    const line = (await project.resultLines()).find(({ scenario_id }) => scenario_id === 'good');
    expect(line?.judge_score).toBe(0.8);
  });

  test('the judge is shown task, gates, transcript and changed files; prompt and answer are kept', async () => {
    const [asked, ...more] = server.askedOf('good');
    expect(more).toEqual([]);
    if (asked === undefined) throw new Error('the model was not asked');
    const prompt = promptOf(asked);
    expect(prompt).toContain('- correct (weight 0.6): The note says what was asked for');
    expect(prompt).toContain('do it');
    expect(prompt).toMatch(/pass: file_exists note\.txt: /);
    expect(prompt).toContain('$ echo milk > note.txt; env > env.txt');
    expect(prompt).toContain('added: note.txt (5 bytes)');
    expect(prompt).toMatch(/--- note\.txt\nmilk/);
    expect(prompt).not.toContain('README.md');
    expect(asked.headers.authorization).toBe(`Bearer ${KEYS.HOUSE_KEY}`);
    expect(JSON.parse(asked.body)).toMatchObject({ response_format: { type: 'json_schema' } });
    const kept = await of('good').text('artifacts/judge/prompt.md');
    expect(kept).toContain('added: note.txt (5 bytes)');
    expect(await answersIn(of('good'))).toMatchObject([{ problem: null, text: judgment(1, 0.5) }]);
  });

  test('every link in the reports resolves', async () => {
    for (const report of ['report.md', 'evaluation.md']) {
      const links = [...(await of('good').text(report)).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
      expect(links).toContain('artifacts/judge/prompt.md');
      expect(links).toContain('artifacts/judge/answer-1.json');
      for (const link of links) expect(existsSync(of('good').path(link)), link).toBe(true);
    }
  });

  test('a run below the threshold fails, and the command exits with 1', () => {
    expect(of('low').run).toMatchObject({ outcome: 'fail', message: '1/1 gates passed; judge 0.66 < 0.70' });
    expect(of('low').metrics.judge).toMatchObject({ weighted_score: 0.66, passed: false });
    expect(exitCode).toBe(1);
  });

  test('a run with failed gates, or without gates and with an incomplete agent, is not judged, and the report says why', async () => {
    expect(server.askedOf('never')).toEqual([]);
    expect(judgeStep(of('gated'))).toMatchObject({
      status: 'not_performed',
      note: 'only runs that pass all gates are judged; 1 did not pass',
    });
    expect(of('gated').metrics.judge).toBeNull();
    expect(await of('gated').text('report.md')).toContain('Not judged: only runs that pass all gates');
    expect(judgeStep(of('quit'))).toMatchObject({ status: 'not_performed' });
    expect(of('quit').run.outcome).toBe('fail');
  });

  test('a run with failed gates is judged with always: true, and still fails', () => {
    expect(server.askedOf('strict')).toHaveLength(1);
    expect(of('always').metrics.judge).toMatchObject({ weighted_score: 0.2 });
    expect(of('always').run).toMatchObject({
      outcome: 'fail',
      message: /^0\/1 gates.*; judge 0\.20 < 0\.70$/,
    });
  });

  test('a run without gates is judged, here by the model in the config', () => {
    expect(of('ungated').run).toMatchObject({ outcome: 'pass', message: 'no gates to pass; judge 1.00' });
    expect(of('ungated').metrics.judge?.model).toBe('house/by-config');
  });

  test('a rate limit is waited for as long as the server says', () => {
    // Temporal's first retry would come after one second.
    const [first, second, ...more] = server.askedOf('limited');
    expect(more).toEqual([]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2000);
    expect(of('limited').run.outcome).toBe('pass');
    expect(judgeStep(of('limited'))).toMatchObject({ status: 'done', attempts: 2 });
  });

  test('a server that is temporarily down is asked again', () => {
    expect(server.askedOf('shaky')).toHaveLength(3);
    expect(of('shaky').run.outcome).toBe('pass');
    expect(of('shaky').metrics.judge?.attempts).toBe(1);
  });

  test('unusable answers are kept and asked for again; all requests are counted', async () => {
    expect(await answersIn(of('sloppy'))).toMatchObject([
      { problem: 'the answer is not exactly one JSON object', text: 'I liked it.' },
      { problem: 'scores: the rubric has no tidyness; scores.tidy: expected a number from 0 to 1' },
      { problem: null },
    ]);
    expect(of('sloppy').metrics.judge).toMatchObject({
      weighted_score: 0.8,
      attempts: 3,
      usage: { input: 300, output: 60 },
    });
  });

  test('each vote is a request of its own, and a mean below the threshold fails the run', async () => {
    expect(server.askedOf('voting')).toHaveLength(5);
    expect(of('voting').run).toMatchObject({
      outcome: 'fail',
      message: '1/1 gates passed; judge 0.60 < 0.70',
    });
    expect(of('voting').metrics.judge).toMatchObject({
      scores: { correct: 0.6, tidy: 0.6 },
      weighted_score: 0.6,
      votes: [1, 0.4, 0.4],
      spread: { range: 0.6, deviation: 0.34641 },
      attempts: 4,
      usage: { input: 400, output: 80 },
      issues: ['the note has no date'],
    });
    expect(await answersIn(of('voting'))).toHaveLength(4);
    expect(await of('voting').text('evaluation.md')).toContain('The mean of 3 votes: 1.00, 0.40, 0.40; range 0.60');
  });

  test('a server that does not support JSON schemas is asked again without one', () => {
    expect(server.askedOf('plain').map(({ body }) => /json_schema/.test(body))).toEqual([true, false]);
    expect(of('plain').metrics.judge).toMatchObject({ weighted_score: 0.9, attempts: 1 });
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5', '/v1/messages', 'x-api-key', KEYS.ANTHROPIC_API_KEY],
    ['openai', 'gpt-5.1', '/v1/responses', 'authorization', `Bearer ${KEYS.OPENAI_API_KEY}`],
    [
      ...['google', 'gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:generateContent'],
      ...['x-goog-api-key', KEYS.GEMINI_API_KEY],
    ] as const,
  ] as const)('%s is asked by its own protocol', (name, model, path, header, key) => {
    const asked = server.askedOf(model);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path, headers: { [header]: key } });
    expect(asked[0]?.body).toContain('"issues":{"type":"array"');
    expect(of(name).metrics.judge).toMatchObject({
      model: `${name}/${model}`,
      model_used: `${model}-served`,
      weighted_score: 1,
      usage: { input: name === 'anthropic' ? 90 : 100, output: 20 },
    });
  });

  test('the cost follows from the prices in the config, and a free provider costs nothing', () => {
    expect(of('openai').metrics.judge?.cost_usd).toBe((100 * 10 + 20 * 100) / 1e6);
    expect(of('low').metrics.judge?.cost_usd).toBe(0);
  });

  test('no key is in any file, in a history, or in the environment of the agent', async () => {
    const { run, path } = of('good');
    expect((await answersIn(of('leaky')))[0]?.text).toContain('[REDACTED] has');
    expect(of('leaky').metrics.judge?.issues).toEqual(['[REDACTED] has no date']);
    const environment = await readFile(path('fixture/env.txt'), 'utf8');
    for (const name of Object.keys(KEYS)) expect(environment).not.toContain(name);
    for (const file of await filesBelow(project.results)) {
      const content = await readFile(file, 'latin1');
      for (const key of Object.values(KEYS)) expect(content.includes(key), file).toBe(false);
    }
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    const { workflow } = new Client({ connection });
    const judgedBy = Object.values(runs).map((one) => one.run.workflow_id);
    for (const id of [`sweep/${run.sweep}`, ...judgedBy]) {
      const history = JSON.stringify(await workflow.getHandle(id).fetchHistory());
      const bytes = Object.values(KEYS).flatMap((key) => [key, Buffer.from(key).toString('base64')]);
      for (const form of bytes) expect(history.includes(form), id).toBe(false);
      expect(history.length).toBeGreaterThan(1000);
    }
    await connection.close();
  });

  test('show prints the judgment of a run, and the scores in the table of a sweep', async () => {
    const shown = await project.cli(['show', of('low').run.run_id]);
    expect(shown.stdout).toMatch(/judge\n +✗ fail +0\.66 +threshold 0\.70, confidence 0\.80, house\/low\n/);
    expect(shown.stdout).toMatch(/issue +the note has no date/);
    const table = await project.cli(['show', of('low').run.sweep]);
    expect(table.stdout).toMatch(/^low +✗ fail 0\.66$/m);
  });
});

describe('a judge that cannot judge', () => {
  test('makes the run an error with exit 3; all other artifacts and any answers are kept', async () => {
    server.script('locked', {
      status: 401,
      body: `{"error":{"message":"Incorrect API key provided: ${KEYS.HOUSE_KEY}"}}`,
    });
    server.script('babbling', { say: '{"scores": {"correct": 7}}' });
    server.script('slow', 'silence');
    const { exitCode, runs } = await runAll({
      locked: judged('locked', 'house/locked'),
      babbling: judged('babbling', 'house/babbling'),
      slow: judged('slow', 'house/slow', { judge: ', timeout_secs: 0.2' }),
      unknown: judged('unknown', 'house/unknown'),
    });
    expect(exitCode).toBe(3);
    const messages = Object.fromEntries(Object.entries(runs).map(([name, { run }]) => [name, run.message]));
    expect(messages['locked']).toMatch(
      /^step 'judge' could not be performed: house\/locked: HTTP 401: .*\[REDACTED\]; check the key/,
    );
    expect(messages['babbling']).toMatch(/answer 3 could not be used: .*scores.correct: expected a number/);
    expect(messages['slow']).toMatch(/house\/slow: gave no answer within 0.2 s/);
    expect(messages['unknown']).toMatch(/HTTP 404: .*check the name of the model/);
    expect(server.askedOf('locked')).toHaveLength(1);
    expect(server.askedOf('babbling')).toHaveLength(3);
    expect(server.askedOf('slow').map(({ abandoned }) => abandoned)).toEqual([true, true, true]);
    for (const opened of Object.values(runs)) {
      expect(opened.run.outcome).toBe('error');
      expect(opened.metrics).toMatchObject({ judge: null, gates_passed: 1, gates_total: 1 });
      expect(judgeStep(opened)?.status).toBe('failed');
      expect(await opened.text('fixture/note.txt')).toBe('milk\n');
      const report = await opened.text('report.md');
      expect(report).toContain('**Could not judge:**');
      expect(report).not.toContain(KEYS.HOUSE_KEY);
      for (const file of ['artifacts/events.jsonl', 'artifacts/judge/prompt.md', 'evaluation.md'])
        expect(existsSync(opened.path(file)), file).toBe(true);
    }
    const babbling = runs['babbling'];
    if (babbling === undefined) throw new Error('no run');
    expect(await answersIn(babbling)).toHaveLength(3);
    expect(await babbling.text('report.md')).toContain('artifacts/judge/answer-3.json');
  });
});

test('--judge-model names another model; --no-judge asks none, and the report says so', async () => {
  server.script('named', { say: judgment(1) });
  const texts = { flagged: judged('flagged', 'house/named') };
  const none = await runAll(texts, ['--no-judge']);
  expect(none.exitCode).toBe(0);
  expect(none.runs['flagged']?.metrics.judge).toBeNull();
  expect(await none.runs['flagged']?.text('report.md')).toContain('Not judged: left out by --no-judge');
  expect(server.askedOf('named')).toEqual([]);
  const planned = await project.cli(['run', 'flagged', '--judge-model', 'house/other', '--dry-run'], env);
  expect(planned.stdout).toContain('judge house/other');
});

test('editing rubric, scenario and config while a sweep runs changes nothing', async () => {
  server.script('early', { say: judgment(1) });
  const text = judged('edited', 'house/early', {
    steps: [`run: 'until [ -e ${project.folder}/go ]; do sleep 0.05; done; echo milk > note.txt'`],
  });
  await project.write('fixtures/edited.yaml', text);
  const supervisors = async (): Promise<string[]> =>
    (await filesBelow(project.state)).filter((file) => file.endsWith('/agent/1/sup'));
  const before = await supervisors();
  const running = project.start(['run', 'edited', '--json'], env);
  await until('its agent runs', async () =>
    (await supervisors()).some((file) => !before.includes(file)) ? true : null,
  );
  const config = await project.read('llm-tool-test-config.toml');
  await project.write('fixtures/rubric.yaml', RUBRIC.replace('what was asked for', 'something else'));
  await project.write('fixtures/edited.yaml', text.replace('house/early', 'house/late'));
  await project.write('llm-tool-test-config.toml', config.replace('/house/v1', '/elsewhere'));
  await project.write('go', '');
  expect((await running).exitCode).toBe(0);
  const [asked] = server.askedOf('early');
  expect(asked?.path).toBe('/house/v1/chat/completions');
  expect(asked?.body).toContain('The note says what was asked for');
  await project.write('fixtures/rubric.yaml', RUBRIC);
  await project.write('llm-tool-test-config.toml', config);
});

test('a judged run is reused until its rubric or the number of votes changes', async () => {
  server.script('cached', { say: judgment(1) });
  await project.write('fixtures/rejudged.yaml', judged('rejudged', 'house/cached'));
  const cachedNow = async (): Promise<number> => (await project.run(['rejudged'], env)).document.totals.cached;
  expect([await cachedNow(), await cachedNow()]).toEqual([0, 1]);
  await project.write('fixtures/rubric.yaml', RUBRIC.replace('what was asked for', 'something else'));
  expect(await cachedNow()).toBe(0);
  expect(server.askedOf('cached')).toHaveLength(2);
  await project.write('fixtures/rejudged.yaml', judged('rejudged', 'house/cached', { judge: ', votes: 2' }));
  expect(await cachedNow()).toBe(0);
  expect(server.askedOf('cached')).toHaveLength(4);
  await project.write('fixtures/rubric.yaml', RUBRIC);
});

test('while a page answers in place of the judge, run and show say so, and one Ctrl-C ends the command', async () => {
  server.script('portal', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' });
  await project.write('fixtures/portal.yaml', judged('portal', 'house/portal'));
  const command = project.start(['run', 'portal', '--name', 'portal'], env);
  const why = 'waiting for house: answered with text/html, not JSON; check base_url';
  let printed = '';
  command.stderr.on('data', (text: Buffer) => (printed += text.toString()));
  await until('the reason', () => (printed.includes(why) ? true : null));
  expect((await project.cli(['show', 'portal'])).stderr).toContain(why);
  command.kill('SIGINT');
  const { exitCode, stdout } = await command;
  expect([exitCode, stdout]).toEqual([130, expect.stringContaining('paused, 1 cell: 1 not finished')]);
  server.script('portal', { say: judgment(1) });
  const resumed = await project.cli(['resume', 'portal', '--json'], env);
  expect(resumed.exitCode, resumed.stdout).toBe(0);
});

test('cancelling while the judge is asked ends the request, and the cancelled run keeps what it has', async () => {
  server.script('thinking', 'silence');
  await project.write('fixtures/halted.yaml', judged('halted', 'house/thinking'));
  const running = project.start(['run', 'halted', '--name', 'halted', '--json'], env);
  await until('the judge is asked', () => (server.askedOf('thinking').length > 0 ? true : null));
  expect((await project.cli(['cancel', 'halted'])).exitCode).toBe(0);
  expect((await running).exitCode).toBe(130);
  expect(server.askedOf('thinking')).toMatchObject([{ abandoned: true }]);
  const line = (await project.resultLines()).find(({ scenario_id }) => scenario_id === 'halted');
  expect(line).toMatchObject({ outcome: 'cancelled', gates_passed: 1, judge_score: null });
});
