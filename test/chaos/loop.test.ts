import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/host/package-info.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { RunEvent } from '../../src/model/records/events.js';
import { opaqueId } from '../../src/store/results-folder.js';
import type { ScriptInput } from '../agents/model-server/script.js';
import { startModelServer, type ModelServer } from '../agents/model-server/server.js';
import { kill, linesIn, partOf, runsOf, stateOf, untilLines } from '../commands/engine-parts.js';
import {
  createProject,
  documentOf,
  openRun,
  scenario,
  until,
  type RunFolder,
  type TestProject,
} from '../commands/project.js';

/** Tokens that the scripted model reports for a request. */
const [INPUT, CACHED, OUTPUT] = [1000, 100, 50];
const MODEL = 'openai/scripted-model';
const done = { say: 'All is done.' };

let project: TestProject;
let server: ModelServer;
let env: Record<string, string>;

/** A command that records its start and then waits for the test. */
const gated = (name: string): string =>
  `echo start >> ${project.folder}/${name}.starts; until [ -e ${project.folder}/${name}.go ]; do sleep 0.1; done; echo ${name} >> out.txt`;

beforeAll(async () => {
  project = await createProject(
    {
      'fixtures/empty/README.md': 'nothing\n',
      'fixtures/empty/AGENTS.md': 'Answer politely.\n',
      'llm-tool-test-config.toml': `[providers.local]\nbase_url = "\${LOCAL_URL}/v1"\nfree = true\n`,
    },
    { ownEngine: true },
  );
  const scripts: ScriptInput[] = [
    {
      when: 'task tools',
      steps: [
        { run: 'cat missing.txt', text: 'I look.' },
        { tool: 'write', input: { path: 'a/out.txt', content: 'one two\n' } },
        { tool: 'edit', input: { path: 'a/out.txt', old_text: 'two', new_text: 'three' } },
        { tool: 'edit', input: { path: 'a/out.txt', old_text: 'four', new_text: 'five' } },
        { tool: 'read', input: { path: 'a/out.txt' } },
        { tool: 'teleport', offered: false, input: {} },
        { run: 'env; sleep 300 & echo left' },
        done,
      ],
    },
    {
      when: 'task busy',
      steps: [{ run: 'echo busy >> out.txt' }, done],
      faults: [{ error: 'rate_limit', step: 1, times: 2, retry_after_secs: 1 }],
    },
    {
      when: 'second message',
      // The steps are counted by results of tools, of which the conversation has one already.
      steps: [done, { run: 'echo two >> out.txt' }, { say: 'Both are done.' }],
    },
    { when: 'first message', steps: [{ run: 'echo one >> out.txt' }, { say: 'One is done.' }] },
    { when: 'task key', steps: [done], faults: [{ error: 'bad_key' }] },
    { when: 'task refusal', steps: [{ say: '', stop: 'refusal' }] },
    { when: 'task long', steps: [{ say: 'It goes on and', stop: 'length' }] },
    { when: 'task endless', steps: [{ run: 'echo again >> out.txt' }] },
    { when: 'task slow', steps: [{ run: 'sleep 300' }, done] },
    { when: 'task dear', steps: [{ run: 'echo dear >> out.txt', usage: { input: 1_000_000 } }, done] },
    {
      when: 'task adopted',
      steps: [{ run: 'echo first >> out.txt' }, { run: gated('adopted') }, done],
    },
    { when: 'task cancelled', steps: [{ run: gated('cancelled') }, done] },
    {
      when: 'task asked',
      steps: [{ run: 'echo asked >> out.txt' }, done],
      faults: [{ break: 'hang', step: 1, times: 1 }],
    },
  ];
  server = await startModelServer(scripts);
  env = { LLM_TOOL_TEST_ENABLED: '1', LOCAL_URL: server.url };
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
  const write = (name: string, gates: string[], more = ''): Promise<void> =>
    project.write(`fixtures/${name}.yaml`, scenario(name, { gates, more }).replace('"do it"', `"task ${name}"`));
  const contains = (text: string): string => `{type: file_contains, path: out.txt, substring: ${text}}`;
  await write('tools', ['{type: file_contains, path: a/out.txt, substring: one three}']);
  await write('busy', [contains('busy')]);
  for (const name of ['key', 'refusal', 'long']) await write(name, ['{type: no_transcript_errors}']);
  await write('endless', [contains('again')], 'run: {max_turns: 3}');
  await write('slow', [contains('never')], 'run: {timeout_secs: 2}');
  await write('dear', [contains('dear')], 'cost: {max_usd: 0.5}');
  for (const name of ['adopted', 'asked', 'cancelled']) await write(name, [contains(name)]);
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

const run = async (name: string, model = MODEL): Promise<RunFolder> => {
  const { document } = await project.run([name, '--agents', 'loop', '--models', model], env);
  return openRun(document);
};
const start = (name: string) =>
  project.start(['run', name, '--name', name, '--agents', 'loop', '--models', MODEL, '--json'], env);
const eventsOf = async ({ text }: RunFolder): Promise<RunEvent[]> =>
  (await text('artifacts/events.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
/** The requests to the model for a task. */
const requestsFor = (name: string) => server.requests.filter(({ prompts }) => prompts.includes(`task ${name}`));

describe('the agent loop', () => {
  test.each(['anthropic/scripted-model', MODEL, 'google/scripted-model', 'local/scripted-model'])(
    'works with tools, and reports calls, exit codes and tokens as they are: %s',
    async (model) => {
      const before = requestsFor('tools').length;
      const folder = await run('tools', model);
      expect(folder.run).toMatchObject({ outcome: 'pass', agent: { ending: 'done', completed: true, starts: 1 } });
      expect(folder.run.agent).toMatchObject({ version: packageVersion, first_request: { tokens: INPUT + CACHED } });
      const requests = requestsFor('tools').slice(before);
      expect(requests).toHaveLength(8);
      expect(folder.run.agent?.token_usage).toMatchObject({
        input: 8 * INPUT,
        output: 8 * OUTPUT,
        cache_read: 8 * CACHED,
      });
      const events = await eventsOf(folder);
      const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.name] : []));
      expect(calls).toEqual(['bash', 'write', 'edit', 'edit', 'read', 'teleport', 'bash']);
      const results = events.flatMap((event) => (event.type === 'tool_result' ? [event] : []));
      expect(results.map(({ exit_code, is_error }) => [exit_code, is_error])).toEqual([
        [1, true],
        [null, false],
        [null, false],
        [null, true],
        [null, false],
        [null, true],
        [0, false],
      ]);
      expect(results[4]?.output).toBe('one three\n');
      expect(results[5]?.executed).toBe(false);
      // The model is called from outside: what the agent runs has no key.
      expect(results[6]?.output).not.toMatch(/key-of-the-test|API_KEY/);
      expect(markedProcesses(opaqueId(folder.run.run_id))).toEqual([]);
      expect(requests[0]?.system).toContain('Answer politely.');
    },
  );

  test('has one conversation in all turns', async () => {
    await project.write(
      'talk.scenario.yaml',
      `name: talk
agent: loop
run:
  - input: first message
    evaluations: [{ type: string_contains, value: One is done }]
  - input: second message
    evaluations: [{ type: string_contains, value: Both are done }]
evaluations: [{ type: file_contains, path: out.txt, value: "one\\ntwo" }]
`,
    );
    const { document } = await project.run(['talk.scenario.yaml', '--models', MODEL], env);
    const { run: record } = await openRun(document);
    expect([record.outcome, record.message]).toEqual(['pass', '3/3 gates passed']);
    expect(record.conversation?.turns.map(({ user, agent }) => [user, agent])).toEqual([
      ['first message', 'One is done.'],
      ['second message', 'Both are done.'],
    ]);
    expect(record.agent?.token_usage.output).toBe(4 * OUTPUT);
    expect(server.requests.at(-1)?.unpaired).toEqual([]);
  });

  test('waits for a rate limit and continues its conversation', async () => {
    const { run: record, text } = await run('busy');
    expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done' } });
    expect(record.agent?.history.join('\n')).toMatch(/agent run 1 ended: .*busy or unavailable/);
    expect(await text('fixture/out.txt')).toBe('busy\n');
  });

  test('a refused key and a refusal are errors; an answer that is cut off is no end of the task', async () => {
    expect((await run('key')).run).toMatchObject({ outcome: 'error', agent: { ending: 'unable' } });
    expect((await run('refusal')).run).toMatchObject({ outcome: 'error', agent: { ending: 'unable' } });
    expect((await run('long')).run).toMatchObject({ agent: { ending: 'gave_up', completed: false } });
  });

  test('keeps the limits of turns, time and cost, and all usage is known', async () => {
    const { run: endless, text } = await run('endless');
    expect(endless).toMatchObject({ agent: { ending: 'max_turns', token_usage: { output: 3 * OUTPUT } } });
    expect(await text('fixture/out.txt')).toBe('again\nagain\nagain\n');
    const { run: slow } = await run('slow');
    expect(slow).toMatchObject({ agent: { ending: 'timeout', token_usage: { output: OUTPUT } } });
    expect(markedProcesses(opaqueId(slow.run_id))).toEqual([]);
    const { run: dear } = await run('dear', 'anthropic/claude-sonnet-4-5');
    expect(dear).toMatchObject({ agent: { ending: 'max_cost', token_usage: { output: OUTPUT } } });
    expect(dear.agent?.cost_usd).toBeGreaterThan(0.5);
    expect(requestsFor('dear')).toHaveLength(1);
  });

  test('SIGKILL of the worker during a command: it is adopted, and nothing is repeated', async () => {
    const command = start('adopted');
    await untilLines(project, 'adopted.starts', 1);
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await project.write('adopted.go', '');
    const { run: record, text } = await openRun(documentOf((await command).stdout));
    expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', token_usage: { output: 3 * OUTPUT } } });
    expect(linesIn(project, 'adopted.starts')).toHaveLength(1);
    expect(await text('fixture/out.txt')).toBe('first\nadopted\n');
    expect(requestsFor('adopted')).toHaveLength(3);
  });

  test('SIGKILL of the worker during a request: only that one is sent again, and is counted', async () => {
    const command = start('asked');
    await server.until(() => requestsFor('asked').length === 2);
    await kill(project, 'worker');
    const { run: record, text } = await openRun(documentOf((await command).stdout));
    expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', cost_usd: null } });
    expect(record.agent?.token_usage_at_least).toMatchObject({ output: 2 * OUTPUT });
    expect(await text('fixture/out.txt')).toBe('asked\n');
    expect(requestsFor('asked')).toHaveLength(3);
    expect(await text('artifacts/events.jsonl')).toContain('whose answer was lost');
  });

  test('a cancel ends its command, and what was paid for is reported', async () => {
    const command = start('cancelled');
    await untilLines(project, 'cancelled.starts', 1);
    const [run = ''] = runsOf(project, 'cancelled');
    const live = await readFile(join(project.results, run, 'artifacts/events.live.jsonl'), 'utf8');
    expect(live).toContain('cancelled.starts');
    await project.cli(['cancel', 'cancelled'], env);
    const { run: record } = await openRun(documentOf((await command).stdout));
    expect(record).toMatchObject({ outcome: 'cancelled', agent: { ending: 'cancelled' } });
    expect(record.agent?.token_usage_at_least ?? record.agent?.token_usage).toMatchObject({ output: OUTPUT });
    expect(markedProcesses(opaqueId(record.run_id))).toEqual([]);
  });

  test('no key is left on the disk', async () => {
    const folder = stateOf(project);
    const names = await readdir(`${folder}/work`, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      names.filter((entry) => entry.isFile()).map((entry) => readFile(`${entry.parentPath}/${entry.name}`, 'utf8')),
    );
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter((text) => text.includes('key-of-the-test'))).toEqual([]);
  });
});
