import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { Comparison } from '../../../src/decide/comparison/document.js';
import { cellsOf, createProject, openRun, REPOSITORY } from '../../commands/project.js';
import { ACP_CLIS } from '../acp-clis.js';
import { provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');
const STAMPED = { run: 'echo stamped > out.txt' };
const DONE = { say: 'All is done.' };

/** These keep the definitions of MCP tools from the model until it searches for them. */
const SEARCHES: Partial<Record<string, { tool: string; input: Record<string, unknown> }>> = {
  'claude-code': { tool: 'ToolSearch', input: { query: 'select:mcp__office__echo,mcp__other__echo' } },
  codex: { tool: 'tool_search', input: { query: 'echo', limit: 20 } },
};

/** The model does each task as its prompt says. Without the server, it says that there is no such tool, and ends. */
const scriptsFor = (agent: string) =>
  [
    { when: 'Stamp it by the office.', tool: 'office__echo', text: 'stamp it' },
    { when: 'Stamp it with other words.', tool: 'office__echo', text: 'stamp something' },
    { when: 'Stamp it elsewhere.', tool: 'other__echo', text: 'stamp it' },
  ].map(({ when, tool, text }) => ({
    when,
    steps: [...[SEARCHES[agent] ?? []].flat(), { tool, input: { text } }, STAMPED, DONE],
  }));

const suite = {
  skill_name: 'stamp',
  evals: [
    ['right', 'Stamp it by the office.'],
    ['argument', 'Stamp it with other words.'],
    ['server', 'Stamp it elsewhere.'],
  ].map(([id, prompt]) => ({ id, prompt, assertions: ['The file "out.txt" exists.'] })),
};

/** The tasks in which the model does not call the right tool in the right way, and the words of the gate about it. */
const NEAR_MISSES = {
  'stamp-argument': 'its calls had {"text":"stamp something"}',
  'stamp-server': 'no tool was called',
};

/** Starts the server under test on HTTP. Resolves to its address. */
async function addressIn(folder: string): Promise<string> {
  const port = join(folder, 'port');
  const server = spawn(process.execPath, [SERVER, 'http', port], { stdio: 'ignore' });
  onTestFinished(() => void server.kill());
  const number = await waitUntil(() => (existsSync(port) && readFileSync(port, 'utf8')) || null, 20_000);
  return `http://127.0.0.1:${number}/mcp`;
}

const report = (text: string): void => console.log(text);
const BOTH = ['stdio', 'HTTP'];
const AGENTS = [
  {
    agent: 'claude-code',
    model: MODELS['claude-code'],
    transports: BOTH,
    provide: () => provideCli('claude-code', report),
  },
  { agent: 'codex', model: MODELS.codex, transports: BOTH, provide: () => provideCli('codex', report) },
  { agent: 'kimi', transports: ['stdio'], ...ACP_CLIS.kimi },
];

describe.each(AGENTS)('on the real $agent', ({ agent, model: modelName, transports, provide }) => {
  test.each(transports)(
    'an imported suite says that a server over %s helps, and near misses do not pass',
    async (transport) => {
      const program = await provide();
      const project = await createProject(
        {
          'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${modelName}"]\n`,
          'skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n\nAsk the office.\n',
          'skills/stamp/evals/evals.json': JSON.stringify(suite),
        },
        { ownEngine: true },
      );
      onTestFinished(() => project.remove());
      const model = await serve(...scriptsFor(agent));
      const byStdio = `command: node, args: [${JSON.stringify(SERVER)}]`;
      const how = transport === 'stdio' ? byStdio : `url: "${await addressIn(project.folder)}"`;

      // The suite is imported, and the servers are added to its scenarios.
      const imported = await project.cli(['import', 'skills/stamp/evals/evals.json', '--json']);
      const { scenarios } = JSON.parse(imported.stdout) as { scenarios: string[] };
      expect(scenarios).toHaveLength(3);
      for (const path of scenarios) {
        const written = await project.read(path);
        const subject = `subject:\n  - skill: ../skills/stamp\n  - mcp: {name: office, ${how}}\n  - mcp: {name: other, ${byStdio}}\n`;
        const gates = [
          '{type: mcp_tool_called, server: office, tool: echo, args: {text: stamp it}, max: 1}',
          '{type: mcp_no_errors}',
        ];
        const edited = written.replace('subject:\n  skill: ../skills/stamp\n', subject);
        expect(edited).not.toBe(written);
        await project.write(
          path,
          `${edited}${gates.map((gate) => `    - ${gate}\n`).join('')}tool_matrix: [{agent: ${agent}}]\n`,
        );
      }
      const valid = await project.cli(['validate', '--json']);
      expect(JSON.parse(valid.stdout), valid.stderr).toMatchObject({ valid: true });

      const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
      for (const maker of ['ANTHROPIC', 'OPENAI']) {
        env[`${maker}_API_KEY`] = 'key-of-the-test';
        env[`${maker}_BASE_URL`] = model.url;
      }
      const { document } = await project.run(['stamp-right', '--repeat', '4', '--concurrency', '4'], env);
      const compared = await project.cli(['compare', document.sweep, '--variants', 'without,with', '--json']);
      expect(Comparison.parse(JSON.parse(compared.stdout))).toMatchObject({
        verdict: 'better',
        total: { base: { passed: 0, tested: 4 }, head: { passed: 4, tested: 4 } },
      });

      const near = await project.run([...Object.keys(NEAR_MISSES), '--variants', 'with'], env);
      expect(near.exitCode).toBe(1);
      for (const [name, why] of Object.entries(NEAR_MISSES)) {
        const { run, metrics } = await openRun(cellsOf(near.document, name));
        expect(run.outcome).toBe('fail');
        expect(metrics.details.map(({ status }) => status)).toEqual(['pass', 'fail', 'pass']);
        expect(metrics.details[1]?.message).toContain(why);
      }
    },
  );
});
