import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import type { ScriptInput } from '../agents/model-server/script.js';
import { startModelServer, type ModelServer } from '../agents/model-server/server.js';
import { kill, linesIn, untilLines } from '../commands/engine-parts.js';
import { gatedCommand, letGo } from '../commands/gated.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  type RunFolder,
  type TestProject,
} from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';

/** Tokens that the scripted model reports for an answer. */
const OUTPUT = 50;
const done = { say: 'All is done.' };
const line = (text: string) => ({ run: `echo ${text} >> out.txt` });

let project: TestProject;
let server: ModelServer;
let env: Record<string, string>;

beforeAll(async () => {
  project = await createProject(
    { ...EMPTY_FIXTURE, 'llm-tool-test-config.toml': '[agents.loop]\ncontext_tokens = 4000\n' },
    { ownEngine: true },
  );
  const scripts: ScriptInput[] = [
    // The conversation has the summary of the other one, which is its only answer without tools.
    { when: 'The summary', steps: [line('after'), done] },
    {
      when: 'task full',
      aside: 'The summary',
      steps: [line('one'), { ...line('two'), usage: { input: 3500 } }, line('x')],
    },
    {
      when: 'task refused',
      aside: 'The summary',
      steps: [line('one'), line('two'), line('x')],
      faults: [{ error: 'context_length', step: 2, times: 1 }],
    },
    { when: 'task hopeless', steps: [line('one')], faults: [{ error: 'context_length', step: 0 }] },
    ...['histories', 'cancelled'].map((name) => ({
      when: `task ${name}`,
      steps: [line('1'), line('2'), { run: gatedCommand(project, name) }, line('4'), line('5'), done],
    })),
    {
      when: 'task place',
      steps: [
        line('one'),
        { tool: 'write', input: { path: 'a/b.txt', content: 'two' } },
        { run: 'env; cat /proc/net/route /proc/net/tcp; echo "$(cat a/b.txt)" >> out.txt' },
        { run: 'wget -q -T 3 -O- $SERVER || curl -s -m 3 $SERVER || echo unreachable' },
        done,
      ],
    },
  ];
  server = await startModelServer(scripts);
  env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

async function write(name: string, gates: string[], more = '', task = name): Promise<string[]> {
  const target = `{binary: cat, env: {SERVER: "${server.url}"}}`;
  const text = scenario(name, { gates, more, target }).replace('"do it"', `"task ${task}"`);
  await project.write(`fixtures/${name}.yaml`, text);
  return [name, '--name', name, '--agents', 'loop', '--models', 'openai/scripted-model'];
}
const contains = (text: string): string => `{type: file_contains, path: out.txt, substring: "${text}"}`;
const run = async (args: string[]): Promise<RunFolder> => openRun((await project.run(args, env)).document);
const outputOf = ({ run: { agent } }: RunFolder): unknown => agent?.token_usage.output;

describe('a conversation that is too long', () => {
  test.each([
    ['full', 5],
    ['refused', 5],
  ])('is summarized, and the agent goes on: %s', async (name, answers) => {
    const folder = await run(await write(name, [contains('after')]));
    expect(folder.run).toMatchObject({ outcome: 'pass', agent: { ending: 'done' } });
    expect(await folder.text('fixture/out.txt')).toBe('one\ntwo\nafter\n');
    expect(outputOf(folder)).toBe(answers * OUTPUT);
    const events = await folder.text('artifacts/events.jsonl');
    expect(events).toContain('goes on with this summary of it:\\n\\nThe summary');
    const [asked] = server.requests.filter(
      ({ prompts, tools }) => tools.length === 0 && prompts.join().includes(`task ${name}`),
    );
    expect(asked?.prompts.join()).toContain('call of bash: {"command":"echo two >> out.txt"}');
    const last = server.requests.at(-1);
    expect(last?.prompts[0]).toContain(`task ${name}`);
    expect(last?.toolResults).toBe(1);
  });

  test('ends the agent if nothing can be summarized', async () => {
    const folder = await run(await write('hopeless', [contains('one')]));
    expect(folder.run).toMatchObject({ agent: { ending: 'gave_up', completed: false } });
  });
});

describe('the histories of a run', () => {
  const short = () => ({ ...env, LLM_TOOL_TEST_LIMITS: '{"requestsPerHistory": 2}' });

  test('SIGKILL of the worker in a later history: nothing is repeated, and everything is counted', async () => {
    const args = await write('histories', [contains('5')], 'run: {max_turns: 6}');
    const command = project.start(['run', ...args, '--json'], short());
    await untilLines(project, 'histories.starts', 1);
    await kill(project, 'worker');
    await letGo(project, 'histories');
    const folder = await openRun(documentOf((await command).stdout));
    expect(folder.run).toMatchObject({ outcome: 'pass', agent: { ending: 'done' } });
    expect(outputOf(folder)).toBe(6 * OUTPUT);
    expect(await folder.text('fixture/out.txt')).toBe('1\n2\n4\n5\n');
    expect(linesIn(project, 'histories.starts')).toHaveLength(1);
    expect(server.requests.filter(({ prompts }) => prompts.includes('task histories'))).toHaveLength(6);
  });

  test('a cancel in a later history ends its command', async () => {
    const command = project.start(['run', ...(await write('cancelled', [contains('5')])), '--json'], short());
    await untilLines(project, 'cancelled.starts', 1);
    await project.cli(['cancel', 'cancelled'], env);
    const folder = await openRun(documentOf((await command).stdout));
    expect(folder.run).toMatchObject({ outcome: 'cancelled', agent: { ending: 'cancelled' } });
    const { agent } = folder.run;
    expect(agent?.token_usage_at_least ?? agent?.token_usage).toMatchObject({ output: 3 * OUTPUT });
    expect(markedProcesses(opaqueId(folder.run.run_id))).toEqual([]);
  });
});

const places: [string, string, string | null][] = [
  ['bubblewrap', 'environment: {type: bubblewrap}', await bubblewrapProblem()],
  ['docker', `environment: {type: docker, image: "${IMAGE}"}`, await whyNoContainers('docker')],
];
test.each(places.filter(([, , lacking]) => lacking === null))(
  'in %s, what the agent runs has no key and cannot reach the model',
  async (name, place) => {
    const args = await write(name, [contains('one'), contains('two')], place, 'place');
    const folder = await run(args);
    expect([folder.run.outcome, folder.run.message]).toEqual(['pass', '2/2 gates passed']);
    expect(outputOf(folder)).toBe(5 * OUTPUT);
    const events = await folder.text('artifacts/events.jsonl');
    expect(events).toContain('unreachable');
    expect(events).not.toContain('key-of-the-test');
    expect(events).not.toContain('API_KEY');
  },
);
