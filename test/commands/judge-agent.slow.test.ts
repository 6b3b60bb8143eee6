import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import {
  answersIn,
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type RunFolder,
  type TestProject,
} from './project.js';

const JUDGE_KEY = 'judge-key-4711-xyzzy';
const RUBRIC = `criteria:
  - {id: correct, weight: 0.6, description: The note says what was asked for}
  - {id: tidy, weight: 0.4, description: Nothing else was touched}
output: {format: json, require_fields: [summary]}
`;
/**
 * Judges as the name of its model says, and logs each start in a folder next to itself. It finds that folder by itself:
 * a folder given by absolute path is an input of the run, and a change in it would prevent reuse.
 */
const JUDGE = `#!/bin/sh
model=$1 log=$(dirname "$0")/log/$1
cat >"$log.prompt"
{ pwd; ls -A; env; } >"$log.seen"
echo start >>"$log"
nth=$(wc -l <"$log")
say() {
  printf '{"issues": [], "highlights": ["%s"], "scores": {"correct": %s, "tidy": %s}, "confidence": 1, "summary": "no. %s"}\\n' "$2" "$1" "$1" "$nth"
}
case $model in
good) printf 'I have looked.\\n\`\`\`json\\n%s\\n\`\`\`\\n' "$(say 0.9)" ;;
low) say 0.5 ;;
babbling) echo 'I liked it.' ;;
sloppy) [ "$nth" -gt 1 ] && say 1 || echo 'Let me think.' ;;
split) say "0.$((nth * 3))" ;;
leaky) say 1 "$JUDGE_KEY" ;;
crashing) say 1; exit 9 ;;
slow) sleep 1000 & sleep 1000 ;;
*) say 1 ;;
esac
`;

const judged = (name: string, model: string, more = ''): string =>
  scenario(name, {
    gates: ['{type: file_exists, path: note.txt}'],
    steps: ['run: echo milk > note.txt'],
  }).replace(
    'evaluation:',
    `evaluation:\n  judge: {enabled: true, rubric: rubric.yaml, pass_threshold: 0.6, model: 'agent:mine/${model}'${more}}`,
  );

let project: TestProject;
const log = (name: string): string => join(project.folder, 'log', name);
const starts = async (model: string): Promise<number> =>
  existsSync(log(model)) ? (await readFile(log(model), 'utf8')).trim().split('\n').length : 0;

beforeAll(async () => {
  project = await createProject({ ...EMPTY_FIXTURE, 'fixtures/rubric.yaml': RUBRIC, 'log/README': '' });
  await project.write('judge.sh', JUDGE, 0o755);
  await project.write(
    'llm-tool-test-config.toml',
    [
      '[agents.mine]\ncommand = "./judge.sh"\nprompt = "stdin"\nfree = true',
      'args = ["{model}"]\nenv = { JUDGE_KEY = "${JUDGE_KEY}" }',
      '[agents.gone]\ncommand = "no-such-judge"\nfree = true',
    ].join('\n'),
  );
});
afterAll(() => project.remove());

describe('runs judged by an agent', () => {
  let runs: Map<string, RunFolder>;
  const of = (name: string): RunFolder => {
    const found = runs.get(name);
    if (found === undefined) throw new Error(`no run of ${name}`);
    return found;
  };

  beforeAll(async () => {
    const texts: Record<string, string> = {
      ...Object.fromEntries(
        ['good', 'low', 'babbling', 'sloppy', 'leaky', 'crashing'].map((name) => [name, judged(name, name)]),
      ),
      split: judged('split', 'split', ', votes: 3'),
      late: judged('late', 'slow', ', timeout_secs: 0.3'),
      gone: judged('gone', 'x').replace('agent:mine', 'agent:gone'),
    };
    for (const [name, text] of Object.entries(texts)) await project.write(`fixtures/${name}.yaml`, text);
    const sweep = await project.run([...Object.keys(texts), '--concurrency', '20'], { JUDGE_KEY });
    const opened = sweep.document.cells.map(async ({ scenario: name }, at): Promise<[string, RunFolder]> => [
      name,
      await openRun(sweep.document, at),
    ]);
    runs = new Map(await Promise.all(opened));
  });

  test('pass if the score reaches the threshold; the agent is started once', async () => {
    expect(of('good').run).toMatchObject({ outcome: 'pass', message: '1/1 gates passed; judge 0.90' });
    expect(of('good').metrics.judge).toMatchObject({
      model: 'agent:mine/good',
      model_used: null,
      scores: { correct: 0.9, tidy: 0.9 },
      weighted_score: 0.9,
      votes: [0.9],
      spread: null,
      cost_usd: 0,
      attempts: 1,
    });
    expect(await starts('good')).toBe(1);
  });

  test('fail if the score is below the threshold', () => {
    expect(of('low').run).toMatchObject({ outcome: 'fail', message: '1/1 gates passed; judge 0.50 < 0.60' });
  });

  test('give the agent the whole question, which is kept together with its answer', async () => {
    const asked = await readFile(log('good.prompt'), 'utf8');
    expect(asked).toContain('- correct (weight 0.6): The note says what was asked for');
    expect(asked).toMatch(/--- note\.txt\nmilk/);
    expect(asked).toContain('"scores": {');
    expect(await of('good').text('artifacts/judge/prompt.md')).toBe(`${asked}\n`);
    const [answer, ...more] = await answersIn(of('good'));
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ start: 1, finish_reason: 'done', problem: null });
    expect(answer?.text).toMatch(/^I have looked\.\n```json\n/);
  });

  test('start the agent in an empty folder and a private HOME, away from the run and its results', async () => {
    const [folder, ...seen] = (await readFile(log('good.seen'), 'utf8')).split('\n');
    expect(folder).toMatch(new RegExp(`^${project.state}/.*/judge/workspace$`));
    expect(seen[0]).toMatch(/^\w+=/); // no file before the variables
    expect(seen).toContain(`HOME=${folder?.replace('workspace', 'home')}`);
    expect(seen.filter((line) => line.includes(project.results))).toEqual([]);
    expect(existsSync(folder ?? '')).toBe(false);
  });

  test('keep an unusable answer and ask again; three unusable answers are an error', async () => {
    expect(await answersIn(of('sloppy'))).toMatchObject([
      { start: 1, problem: 'the answer is not exactly one JSON object', text: 'Let me think.' },
      { start: 2, problem: null },
    ]);
    expect(of('sloppy').run.outcome).toBe('pass');
    expect(of('babbling').run.outcome).toBe('error');
    expect(of('babbling').run.message).toMatch(/agent:mine\/babbling: answer 3 could not be used/);
    expect(await starts('babbling')).toBe(3);
    expect(await answersIn(of('babbling'))).toHaveLength(3);
  });

  test('ignore the answer of an agent that does not complete', async () => {
    expect(of('crashing').run.outcome).toBe('error');
    expect(of('crashing').run.message).toMatch(/the agent did not complete: exit 9/);
    expect((await answersIn(of('crashing'))).map(({ start }) => start)).toEqual([1, 2, 3]);
  });

  test('are errors if the agent is too slow or not installed', async () => {
    expect(of('late').run.message).toMatch(/agent:mine\/slow: gave no answer within 0.3 s/);
    const folders = await readdir(project.state, { recursive: true });
    const ofLate = folders.flatMap((path) => path.split(`${opaqueId(of('late').run.run_id)}/judge/agent/`)[1] ?? []);
    expect(ofLate.filter((path) => /^\d+$/.test(path)).sort()).toEqual(['1', '2', '3']);
    expect(of('gone').run.message).toMatch(/agent:gone\/x: 'no-such-judge' was not found; install it/);
  });

  test('start the agent once for each vote, and the mean of the votes counts', async () => {
    expect(await starts('split')).toBe(3);
    expect(of('split').metrics.judge).toMatchObject({
      weighted_score: 0.6,
      votes: [0.3, 0.6, 0.9],
      spread: { range: 0.6, deviation: 0.3 },
      passed: true,
      fields: { summary: 'no. 2' },
    });
    const votes = 'mean of 3 votes: 0.30, 0.60, 0.90; range 0.60, standard deviation 0.30';
    for (const report of ['evaluation.md', 'report.md'])
      expect(await of('split').text(report)).toContain(`The ${votes}.`);
    expect((await project.cli(['show', of('split').run.run_id])).stdout).toContain(votes);
  });

  test('have no value that was handed over in any file of the results', async () => {
    expect(of('leaky').metrics.judge?.highlights).toEqual(['[REDACTED]']);
    const files = await readdir(project.results, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const content = await readFile(join(file.parentPath, file.name), 'latin1');
      expect(content.includes(JUDGE_KEY), file.name).toBe(false);
    }
  });

  test('leave no process behind', () => {
    for (const { run } of runs.values()) expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  });
});

test('a run judged by an agent is reused until that agent changes', async () => {
  await project.write('fixtures/again.yaml', judged('again', 'again'));
  const cachedNow = async (): Promise<number> => (await project.run(['again'], { JUDGE_KEY })).document.totals.cached;
  expect([await cachedNow(), await cachedNow()]).toEqual([0, 1]);
  await project.write('judge.sh', `${JUDGE}# another build\n`, 0o755);
  expect(await cachedNow()).toBe(0);
  expect(await starts('again')).toBe(2);
});

test('cancelling ends the judging agent and everything that it started', async () => {
  await project.write('fixtures/halted.yaml', judged('halted', 'slow'));
  const before = await starts('slow');
  const running = project.start(['run', 'halted', '--name', 'halted', '--json'], { JUDGE_KEY });
  await until('the judge has started', async () => ((await starts('slow')) > before ? true : null));
  expect((await project.cli(['cancel', 'halted'])).exitCode).toBe(0);
  expect((await running).exitCode).toBe(130);
  const line = (await project.resultLines()).find(({ scenario_id }) => scenario_id === 'halted');
  expect(line).toMatchObject({ outcome: 'cancelled', gates_passed: 1, judge_score: null });
  expect(markedProcesses(opaqueId(line?.id ?? ''))).toEqual([]);
  expect(await starts('slow')).toBe(before + 1);
});

describe('a judge is refused before the agent starts', () => {
  const refuse = async (model: string): Promise<string> => {
    await project.write('rubric.yaml', RUBRIC);
    await project.write('refused.yaml', judged('refused', 'x').replace('agent:mine/x', model));
    const { exitCode, stderr } = await project.cli(['run', 'refused.yaml']);
    expect(exitCode).toBe(2);
    return stderr;
  };

  test('if it is an unknown agent: exit 2, with the place and the nearest name', async () => {
    expect(await refuse('agent:mnie/x')).toMatch(
      /refused\.yaml:\d+:\d+ evaluation\.judge\.model: unknown agent 'mnie'; did you mean 'mine'\?/,
    );
  });

  test('if it may spend money and LLM_TOOL_TEST_ENABLED is not set: exit 2', async () => {
    expect(await refuse('agent:codex/gpt-5.1')).toMatch(
      /judge agent:codex\/gpt-5.1 may spend money: set LLM_TOOL_TEST_ENABLED=1/,
    );
  });

  test('if it is an agent without its key: the run is an error before anything is paid for', async () => {
    await project.write('fixtures/keyless.yaml', judged('keyless', 'good'));
    const { document } = await project.run(['keyless']);
    const { run } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'error', agent: null });
    expect(run.message).toContain('${JUDGE_KEY}');
  });
});
