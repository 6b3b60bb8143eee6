import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelServer, type ModelServer } from '../agents/model-server/server.js';
import { kill, partOf } from '../commands/engine-parts.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, until } from '../commands/project.js';
import type { TestProject } from '../commands/project.js';
import { startE2bServer, whyNoSandboxes, type E2bServer } from '../environments/e2b-server.js';

const lacking = await whyNoSandboxes();
if (lacking !== null) console.warn(`the agent loop in sandboxes of E2B is not tested here: ${lacking}`);

const MODEL_KEY = 'key-of-the-model-7d1e';
/** Tokens that the scripted model reports for an answer. */
const OUTPUT = 50;
const WORKSPACE = '/llm-tool-test/workspace';
/** A command that records its start and then waits for the test. */
const GATED = 'echo x >> starts; until [ -e go ]; do sleep 0.1; done; echo two >> out.txt';

describe.skipIf(lacking !== null)('the agent loop in a sandbox of E2B', () => {
  let project: TestProject;
  let sandboxes: E2bServer;
  let model: ModelServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    sandboxes = await startE2bServer();
    model = await startModelServer([
      {
        steps: [
          { run: 'echo one > out.txt; env' },
          { run: GATED },
          { run: 'wget -q -T 3 -O- $SERVER || curl -s -m 3 $SERVER || echo unreachable' },
          { say: 'All is done.' },
        ],
      },
    ]);
    project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    env = { ...sandboxes.env, LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: model.url };
    const text = scenario('sealed', {
      gates: ['{type: file_contains, path: out.txt, substring: "one\\ntwo"}'],
      target: `{binary: cat, env: {SERVER: "${model.url}"}}`,
      more: 'environment: {type: e2b}',
    });
    await project.write('fixtures/sealed.yaml', text);
  });
  afterAll(async () => {
    await project.remove();
    await model.close();
    await sandboxes.close();
  });

  /** Starts a run, and waits until its second command works in its sandbox. */
  async function startWorking() {
    const args = ['run', 'sealed', '--agents', 'loop', '--models', 'openai/scripted-model', '--json'];
    const command = project.start(args, env);
    const id = await until('the sandbox', () => sandboxes.list()[0]?.id ?? null);
    const inside = (script: string): Promise<string> => sandboxes.inside(id, script);
    await until('the command', async () => ((await inside(`cat ${WORKSPACE}/starts`)) === 'x\n' ? true : null));
    return { command, inside };
  }

  it('has neither the key nor the model inside, while the agent works there', async () => {
    const { command, inside } = await startWorking();
    // Brackets around its first character keep the search from finding itself.
    const search = ([first = '', ...rest]: string): Promise<string> => {
      const pattern = `'[${first}]${rest.join('')}'`;
      return inside(
        `cd /proc; grep -rla ${pattern} /llm-tool-test /home /root /tmp /etc [0-9]*/environ [0-9]*/cmdline`,
      );
    };
    // The search finds what is there, so that it would find the key.
    expect(await search('one')).toContain(`${WORKSPACE}/out.txt`);
    expect(await search('SERVER=http')).toMatch(/^\d+\/environ$/m);
    expect(await search('-e go')).toMatch(/^\d+\/cmdline$/m);
    expect(await search(MODEL_KEY)).toBe('');
    await inside(`touch ${WORKSPACE}/go`);
    const { run, text } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', environment: 'e2b', agent: { ending: 'done' } });
    expect(run.agent?.token_usage.output).toBe(4 * OUTPUT);
    const events = await text('artifacts/events.jsonl');
    expect(events).toContain('unreachable');
    expect(events).not.toMatch(/key-of-the-model|API_KEY/);
    expect(sandboxes.list()).toEqual([]);
  });

  it('adopts its command after SIGKILL of the worker, and repeats no request', async () => {
    const before = model.requests.length;
    const created = sandboxes.counts.created;
    const { command, inside } = await startWorking();
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await inside(`touch ${WORKSPACE}/go`);
    const { run, text } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 1 } });
    expect(run.agent?.token_usage.output).toBe(4 * OUTPUT);
    expect(await text('fixture/starts')).toBe('x\n');
    expect(await text('fixture/out.txt')).toBe('one\ntwo\n');
    expect(model.requests).toHaveLength(before + 4);
    expect([sandboxes.list(), sandboxes.counts.created]).toEqual([[], created + 1]);
  });
});
