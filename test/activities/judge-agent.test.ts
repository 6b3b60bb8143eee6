import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ActivityCancellationDetails } from '@temporalio/common';
import { beforeEach, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { readTextIfThere } from '../../src/host/fs/read-file.js';
import type { Judgment } from '../../src/model/records/judgment.js';
import { until } from '../commands/project.js';
import { linesOf } from '../agents/read-capture.js';
import { newFolder } from '../host/temporary.js';
import { createJudgedRun, type JudgedRun } from './judged-run.js';

const KEY = 'openai-key-4713-xyzzy';
const GOOD = JSON.stringify({ scores: { a: 0.5 }, confidence: 1, issues: [], highlights: [] });

let tools: string;
let judged: JudgedRun;
const file = (name: string): string => join(tools, name);

/** The output of a Codex that ends with an answer and reports its usage. */
const codexSays = (text: string): string =>
  [
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Let me see.' } },
    { type: 'item.completed', item: { id: 'j', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100 } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');

/** Sets what it prints at each start. */
async function script(...outputs: string[]): Promise<void> {
  for (const [index, output] of outputs.entries()) await writeFile(file(`said-${index + 1}`), `${output}\n`);
}
const starts = async (): Promise<number> => ((await readTextIfThere(file('starts'))) ?? '').split('\n').length - 1;

beforeEach(async () => {
  tools = await newFolder();
  // A Codex that prints what the test has set, once `go` exists.
  const codex = [
    '#!/bin/sh',
    `cd '${tools}' && echo "$CODEX_PROVIDER_KEY" >>starts && nth=$(wc -l <starts)`,
    'until [ -e go ]; do sleep 0.05; done',
    'cat "said-$nth"',
  ].join('\n');
  await writeFile(file('codex'), `${codex}\n`, { mode: 0o755 });
  await writeFile(file('go'), '');
  judged = await createJudgedRun(
    { model: 'agent:codex/gpt-5.1' },
    {
      agents: { codex: { command: file('codex'), args: [], models: [], env: {} } },
      prices: { 'gpt-5.1': { input_per_mtok: 10, output_per_mtok: 100 } },
    },
    { OPENAI_API_KEY: KEY },
  );
});

const judgment = async (): Promise<Judgment> => {
  const manifest = await readFile(join(judged.root, 'steps', 'judge.json'), 'utf8');
  return (JSON.parse(manifest) as { result: Judgment }).result;
};
const processes = (): number[] => markedProcesses(basename(judged.root));

test('takes the last message of the agent as its answer, and gives it the key of its provider', async () => {
  await script(codexSays(GOOD));
  expect(await judged.attempt(1)).toEqual({ score: 0.5, passed: true });
  expect(await readFile(file('starts'), 'utf8')).toBe(`${KEY}\n`);
  expect(processes()).toEqual([]);
});

test('adds up tokens and costs of all starts', async () => {
  await script(codexSays('no'), codexSays(GOOD));
  expect(await judged.failureOf(1)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: false });
  await judged.attempt(2);
  const each = (1000 * 10 + 100 * 100) / 1e6;
  expect(await judgment()).toMatchObject({
    attempts: 2,
    cost_usd: 2 * each,
    usage: { input: 2000, output: 200 },
  });
});

test('takes the output of an agent that ended while there was no worker, and starts no other', async () => {
  await script(codexSays(GOOD));
  await judged.attempt(1);
  await rm(join(judged.root, 'steps', 'judge.json'));
  await rm(judged.artifact('answer-1.json'));
  expect(await judged.attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(await starts()).toBe(1);
});

test('adopts an agent that outlives its worker', async () => {
  await script(codexSays(GOOD));
  await rm(file('go'));
  const { environment, result } = judged.begin(1);
  const failed = expect(result).rejects.toThrow();
  await until('the agent runs', async () => ((await starts()) === 1 ? true : null));
  environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  await failed;
  const second = judged.attempt(2);
  await writeFile(file('go'), '');
  expect(await second).toEqual({ score: 0.5, passed: true });
  expect(await starts()).toBe(1);
});

test('a cancel ends the agent', async () => {
  await rm(file('go'));
  const { environment, result } = judged.begin(1);
  const failed = expect(result).rejects.toThrow();
  await until('the agent runs', async () => ((await starts()) === 1 ? true : null));
  expect(processes()).not.toEqual([]);
  environment.cancel();
  await failed;
  expect(processes()).toEqual([]);
});

test('starts the agent again if its provider is busy, but not if its key is refused', async () => {
  await script(linesOf('codex-rate-limit').join('\n'), linesOf('codex-bad-key').join('\n'), codexSays(GOOD));
  expect(await judged.failureOf(1)).toMatchObject({
    type: 'unavailable',
    nonRetryable: false,
    message: expect.stringMatching(/^agent:codex\/gpt-5\.1: its provider was busy or unavailable: .*429/) as string,
  });
  expect(await judged.failureOf(2)).toMatchObject({ type: 'refused', nonRetryable: true });
  expect(await judged.attempt(3)).toEqual({ score: 0.5, passed: true });
  expect(await starts()).toBe(3);
});

test('refuses a question that is too long for an argument, with advice', async () => {
  judged = await createJudgedRun(
    {
      model: 'agent:mine/m',
      rubric: {
        criteria: [{ id: 'a', weight: 1, description: 'x'.repeat(200_000) }],
        output: { format: 'json', require_fields: [] },
      },
    },
    { agents: { mine: { command: '/bin/true', args: [], models: [], env: {}, free: true } } },
    {},
  );
  expect(await judged.failureOf(1)).toMatchObject({
    nonRetryable: true,
    message: expect.stringMatching(/too long for an argument; use prompt = "stdin" or "file"/) as string,
  });
});

test('an agent that is answered by a page is asked eight times: its address is probably wrong', async () => {
  const page = '<!DOCTYPE html><html><title>Sign in</title></html>';
  const said = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'error', message: page },
    { type: 'turn.failed', error: { message: page } },
  ];
  const output = said.map((line) => JSON.stringify(line)).join('\n');
  await script(output, output);
  const expected = { type: 'unreadable', message: expect.stringContaining('"Sign in"') as string };
  expect(await judged.failureOf(7)).toMatchObject({ ...expected, nonRetryable: false });
  expect(await judged.failureOf(8)).toMatchObject({ ...expected, nonRetryable: true });
});

test('keeps what is wrong with the numbers of an answer, and its usage is unknown', async () => {
  await script(codexSays(GOOD).replace('"input_tokens":1000', '"input_tokens":-5'));
  await judged.attempt(1);
  expect(JSON.parse(await readFile(judged.artifact('answer-1.json'), 'utf8'))).toMatchObject({
    usage: { input: null },
    wrong: ['agent output, line 4: usage.input_tokens: expected a whole number from 0 to 2^53-1, got -5'],
  });
});
