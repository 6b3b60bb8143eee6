import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.js';
import { sha256 } from '../../src/lib/hash.js';
import { encodings, MIN_LENGTH, secretEncodings } from '../../src/lib/redaction/redact-exact.js';
import { sweepEnvFrom, writeSweepEnv } from '../../src/host/security/sweep-env.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { EffectiveScenario, Plan } from '../../src/scenario/plan.js';
import { fixtureFolder, planFile, runFiles, scenarioFile, stateOfRun } from '../../src/store/results-folder.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { scenario } from '../commands/project.js';
import { secret, TRICKY } from '../lib/secrets.js';
import { isOwnServer } from './in-activity.js';
import { provenRun } from './proofs.js';

/** The amount of an agent's output that is read at once. */
const CHUNK = 256 * 1024;
const cell = { id: 'c', scenario: 'leaky', agent: 'leaky', model: 'm', variant: 'default', repetition: 1 };
const ANSWER = JSON.stringify({ scores: { a: 1 }, confidence: 1, issues: [], highlights: [] });

let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer();
  server.script('m', { say: ANSWER });
});
afterAll(() => server.close());

/**
 * Returns what remains of a run with an agent, scripts and checks that print all these texts, and what its judge was
 * sent.
 */
async function leaveAll(value: string, texts: readonly string[], before: number) {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-redaction-'));
  try {
    return await leaveIn(folder, value, texts, before);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function leaveIn(folder: string, value: string, texts: readonly string[], before: number) {
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  const show = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return `cat ${folder}/${name}`;
  };
  const all = texts.join('\n');
  const found = {
    passed: true,
    message: texts[0],
    detail: Object.fromEntries(texts.map((text) => [text, text])),
  };
  const commands = {
    agent: await show('out', agentOutput(texts, before)),
    text: await show('text', all),
    gate: await show('gate', JSON.stringify(found)),
    evaluator: await show('evaluator', JSON.stringify({ metrics: found.detail, summary: texts[0], score: 1 })),
  };
  const text = scenario('leaky', {
    gates: [`{type: script, description: says all, command: ${commands.gate}}`],
    more: [
      `setup: {commands: [${commands.text}]}`,
      `scripts: {post: [{command: ${commands.text}}], evaluators: [{name: e, command: ${commands.evaluator}}]}`,
    ].join('\n'),
  });
  const loaded = loadScenario('leaky.yaml', text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const effective: EffectiveScenario = {
    scenario: loaded.value.scenario,
    schema_version: 2,
    target: { binary: 'cat', env: { VALUE: '${VALUE}' } },
    target_path: null,
    fixture: 'f',
    judge: {
      model: 'house/m',
      rubric: {
        criteria: [{ id: 'a', weight: 1, description: 'x' }],
        output: { format: 'json', require_fields: [] },
      },
      rubric_file: 'rubric.yaml',
      pass_threshold: 0.4,
      always: false,
      timeout_secs: 300,
      votes: 1,
    },
  };
  const stored = JSON.stringify(effective);
  const hash = sha256(stored);
  const plan: Plan = {
    schema_version: 1,
    sweep: 's',
    created_at: '',
    concurrency: 1,
    cache: false,
    max_usd: null,
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    caps: { agents: {}, models: {} },
    prices: {},
    cells: [cell],
    agents: {
      leaky: {
        command: 'sh',
        args: ['-c', `${commands.agent}; ${commands.text} | tee said.txt`],
        prompt: 'stdin',
        output: 'jsonl',
        free: true,
        models: [],
        env: {},
      },
    },
    providers: { house: { base_url: `${server.address}/v1`, api_key: '${HOUSE_KEY}', free: true } },
    scenarios: [{ name: 'leaky', variant: 'default', file: 'leaky.yaml', path: '/leaky.yaml', hash }],
  };
  await mkdir(fixtureFolder(resultsPath, 'f'), { recursive: true });
  for (const [file, content] of [
    [planFile(resultsPath, 's'), JSON.stringify(plan)],
    [scenarioFile(resultsPath, hash), stored],
  ] as const) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const shell = { VALUE: value, HOUSE_KEY: 'a-key-of-the-house' };
  await writeSweepEnv(stateFolder, 's', sweepEnvFrom(shell, Object.keys(shell)));

  const activities = createActivities({ resultsPath, stateFolder, isOwnServer });
  const run = await provenRun(
    { resultsPath, stateFolder },
    { sweep: 's', cell, run: 'run-leaky', workflowId: 'test', firstRunId: 'r' },
  );
  const perform = <R>(step: () => Promise<R>): Promise<R> => new MockActivityEnvironment().run(step);
  await perform(() => activities.prepareWorkspace(run));
  await perform(() => activities.runAgent(run));
  await perform(() => activities.runPostScript(run, 0));
  expect(await perform(() => activities.checkGate(run, 0))).toBe('pass');
  await perform(() => activities.runEvaluator(run, 0));
  await perform(() => activities.judgeRun(run));
  const times = { startedAt: Date.now(), endedAt: Date.now() };
  await perform(() => activities.writeReport(run, { failures: [], cancelled: false, ...times }));
  const steps = join(stateOfRun(stateFolder, run.run), 'steps');
  const files = runFiles(join(resultsPath, run.run));
  return {
    transcript: await readFile(files.humanTranscript, 'utf8'),
    prompt: server.askedOf('m').at(-1)?.body ?? '',
    // The manifest of the agent keeps what gates decide by as it is.
    ...Object.fromEntries(
      readdirSync(steps)
        .filter((name) => !name.startsWith('agent'))
        .map((name) => [name, readFileSync(join(steps, name), 'utf8')]),
    ),
  };
}

/** One line of each kind, each with all texts; the first is read in two pieces, split at its character `before`. */
function agentOutput(texts: readonly string[], before: number): string {
  const all = texts.join(' | ');
  const line = (event: object): string => `${JSON.stringify(event)}\n`;
  const first = line({ type: 'message', role: 'assistant', text: all });
  const padding = CHUNK - Buffer.byteLength(first.slice(0, before)) - 1;
  return [
    `${'x'.repeat(padding)}\n${first}`,
    line({ type: 'reasoning', text: all }),
    line({ type: 'tool_call', id: 'a', name: 'Bash', input: { [all]: all }, command: all }),
    line({ type: 'tool_result', id: 'a', exit_code: 1, is_error: true, output: all, truncated: false }),
    line({ type: 'error', message: all, retryable: false }),
  ].join('');
}

/** Values of several lines are redacted line by line, which other tests cover. */
const values = secret.filter((value) => !/[\n\t]/.test(value));

test('no encoding of a value remains in the transcript, in the request to the judge, or in the manifests of other steps', async () => {
  await fc.assert(
    fc.asyncProperty(values, fc.nat(400), async (value, before) => {
      const forms = encodings(value).filter((form) => form.length >= MIN_LENGTH);
      const left = await leaveAll(value, forms, before);
      expect(Object.keys(left).sort()).toEqual([
        ...['evaluator-1.json', 'gate-1.json', 'judge.json', 'post-1.json', 'prepare.json'],
        ...['prompt', 'report.json', 'transcript'],
      ]);
      for (const [name, text] of Object.entries(left)) {
        if (!['judge.json', 'report.json'].includes(name)) expect(text).toContain('[REDACTED]');
        // Also as escaped in JSON.
        for (const form of forms)
          for (const shown of [form, JSON.stringify(form).slice(1, -1)])
            expect(text.includes(shown), `${name}: ${shown}`).toBe(false);
      }
    }),
    {
      numRuns: 10,
      examples: [
        [TRICKY, 60],
        [`"    #'&"`, 0],
      ],
    },
  );
});

test('the tricky value contains characters that the encodings change', () => {
  const forms = Object.values(secretEncodings).flatMap((encode) => encode(TRICKY));
  expect(new Set(forms).size).toBeGreaterThan(30);
});
