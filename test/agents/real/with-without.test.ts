import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Comparison } from '../../../src/decide/comparison/document.js';
import { createProject, REPOSITORY, scenario, type TestProject } from '../../commands/project.js';
import { provideCli, type CliName } from '../clis.js';
import type { ScriptInput } from '../model-server/script.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

/*
 * The scripted model behaves as its requests make it: it knows the right stamp only from the skill, and can only call a
 * tool that it was given. What it does in the tasks `idle` and `useless` does not depend on them.
 */

const RIGHT = 'echo right > out.txt';
const WRONG = 'echo wrong > out.txt';
const DONE = { say: 'All is done.' };

/** A command that does it right every second time; `side` has a count of its own. */
const everySecond = (counts: string, side: string): string =>
  `n=0; until mkdir ${counts}/${side}.$n; do n=$((n + 1)); done; if [ $((n % 2)) = 0 ]; then ${RIGHT}; else ${WRONG}; fi`;

/** Some agents keep the definitions of MCP tools from the model until it searches for them. */
const SEARCHES: Partial<Record<CliName, { tool: string; input: Record<string, unknown> }[]>> = {
  'claude-code': [{ tool: 'ToolSearch', input: { query: 'select:mcp__test__echo' } }],
  codex: [{ tool: 'tool_search', input: { query: 'echo' } }],
};

const scriptsFor = (agent: CliName, counts: string): ScriptInput[] => [
  { when: 'marker-of-the-useful-skill', steps: [{ skill: 'useful' }, { run: RIGHT }, DONE] },
  { when: 'task useful', steps: [{ run: WRONG }, DONE] },
  {
    when: 'marker-of-the-idle-skill',
    steps: [{ skill: 'idle' }, { run: everySecond(counts, 'with') }, DONE],
  },
  { when: 'task idle', steps: [{ run: everySecond(counts, 'without') }, DONE] },
  // Without the tool, the model says that there is none, and that is its last turn.
  {
    when: 'task helpful',
    steps: [...(SEARCHES[agent] ?? []), { tool: 'echo', input: { text: 'which stamp?' } }, { run: RIGHT }, DONE],
  },
  { when: 'task useless', steps: [{ run: RIGHT }, DONE] },
];

const skillOf = (name: string): string =>
  `---\nname: ${name}\ndescription: Stamps documents, with marker-of-the-${name}-skill.\n---\n\n# ${name}\n\nWrite the right stamp.\n`;

const SERVER = JSON.stringify([join(REPOSITORY, 'test/mcp/server.js')]);
const SUBJECTS = {
  useful: '{skill: skills/useful}',
  idle: '{skill: skills/idle}',
  helpful: `{mcp: {name: test, command: node, args: ${SERVER}}}`,
  useless: `{mcp: {name: test, command: node, args: ${SERVER}}}`,
};

async function open(agent: CliName): Promise<{ project: TestProject; env: Record<string, string> }> {
  const program = await provideCli(agent, console.log);
  const project = await createProject(
    {
      'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
      'fixtures/empty/README.md': 'nothing\n',
      'fixtures/skills/useful/SKILL.md': skillOf('useful'),
      'fixtures/skills/idle/SKILL.md': skillOf('idle'),
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  const counts = join(project.folder, 'counts');
  await mkdir(counts);
  const server = await serve(...scriptsFor(agent, counts));
  for (const [name, subject] of Object.entries(SUBJECTS))
    await project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        target: null,
        gates: ['{type: file_contains, path: out.txt, substring: right}'],
        more: `tool_matrix: [{agent: ${agent}}]\nsubject: ${subject}`,
      }).replace('"do it"', `"Do the task ${name}."`),
    );
  const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
  for (const maker of ['ANTHROPIC', 'OPENAI']) {
    env[`${maker}_API_KEY`] = 'key-of-the-test';
    env[`${maker}_BASE_URL`] = server.url;
  }
  return { project, env };
}

const compare = async (project: TestProject, sweep: string): Promise<Comparison> => {
  const { stdout } = await project.cli(['compare', sweep, '--variants', 'without,with', '--json']);
  return Comparison.parse(JSON.parse(stdout));
};

describe.each<CliName>(['claude-code', 'codex'])('on the real %s', (agent) => {
  test.each(['skill', 'server'] as const)(
    'the effect of a %s is found where there is one, and is not claimed where there is none',
    async (kind) => {
      const { project, env } = await open(agent);
      const effectOf = async (name: keyof typeof SUBJECTS): Promise<Comparison> => {
        const args = [name, '--with-baseline', '--repeat', '4', '--concurrency', '4'];
        const { document } = await project.run(args, env);
        return compare(project, document.sweep);
      };
      const total = (base: number, head: number) => ({
        total: { base: { passed: base, tested: 4 }, head: { passed: head, tested: 4 } },
      });
      const helps = await effectOf(kind === 'skill' ? 'useful' : 'helpful');
      expect(helps).toMatchObject({ verdict: 'better', ...total(0, 4) });
      const doesNot = await effectOf(kind === 'skill' ? 'idle' : 'useless');
      const passed = kind === 'skill' ? 2 : 4;
      expect(doesNot).toMatchObject({ verdict: 'no difference shown', ...total(passed, passed) });
    },
  );
});

test('--until-clear compares a skill with its baseline on the real codex, and stops with the verdict', async () => {
  const { project, env } = await open('codex');
  const which = ['--with-baseline', '--variants', 'with', '--until-clear', '--base', 'without'];
  const { document } = await project.run(['useful', ...which, '--max-runs', '20'], env);
  expect(document.decision).toMatchObject({ verdict: 'better', stopped: 'clear', most_runs: 40 });
  expect(document.decision?.runs).toBeLessThan(40);
  expect(await compare(project, document.sweep)).toMatchObject({ verdict: 'better' });
});
