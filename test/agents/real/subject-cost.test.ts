import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../../src/model/records/events.js';
import { createProject, openRun, REPOSITORY, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const DESCRIPTION = `Stamps letters, ${'and whatever else has to be valid before it is sent, '.repeat(6)}with the seal.`;
const GUIDE = `${'Write each file with an empty line at its end, and say so. '.repeat(20)}\n`;
/**
 * Text that agents may add: how skills and instructions are to be used, and where they are. In tokens; gemini says 308.
 */
const AROUND = 400;
/** These keep the definitions of MCP tools from the model until it searches for them. */
const SEARCHES = ['claude-code', 'codex'];

/** The tokens that the scripted model counts for a text. */
const tokensOf = (text: string): number => text.length / 4;

test.each(CLI_NAMES)(
  'the first requests of the real %s show what a skill, instructions and an MCP server add before the first turn',
  async (agent) => {
    const program = await provideCli(agent, console.log);
    const hasMcp = agent !== 'pi';
    const server = await serve({
      steps: [{ run: 'echo done > out.txt' }, { say: 'All is done.' }],
      counts_input: true,
    });
    const mcp = `{name: files, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(join(REPOSITORY, 'test/mcp/server.js'))}]}`;
    const project = await createProject(
      {
        'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
        'fixtures/empty/README.md': 'nothing\n',
        'fixtures/skills/stamp/SKILL.md': `---\nname: stamp\ndescription: ${DESCRIPTION}\n---\n\n# stamp\n\n${'Not read before it is used. '.repeat(200)}\n`,
        'fixtures/GUIDE.md': GUIDE,
        'fixtures/stamp.yaml': scenario('stamp', {
          gates: ['{type: file_exists, path: out.txt}'],
          more: [
            `tool_matrix: [{agent: ${agent}}]`,
            'matrix:',
            '  variants:',
            '    - {name: bare}',
            '    - {name: skill, subject: {skill: skills/stamp}}',
            '    - {name: guide, subject: {instructions: GUIDE.md}}',
            ...(hasMcp ? [`    - {name: server, subject: {mcp: ${mcp}}}`] : []),
          ].join('\n'),
        }),
      },
      { ownEngine: true },
    );
    onTestFinished(() => project.remove());
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1' };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;

    const { document } = await project.run(['stamp', '--concurrency', '1'], env);
    expect(document.totals.passed).toBe(hasMcp ? 4 : 3);
    // The cells ran one after the other, in this order.
    const sent = server.requests
      .filter(({ number, toolResults }) => number !== null && toolResults === 0)
      .map(({ bytes }) => Math.ceil(bytes / 4));
    const recorded = [];
    for (const cell of document.cells.keys()) recorded.push((await openRun(document, cell)).run.agent?.first_request);
    expect(recorded).toEqual(sent.map((tokens) => ({ tokens })));

    const [bare = 0] = sent;
    const added = (document.subject_tokens ?? []).map(({ added: [part], difference, scenarios }) => {
      expect(scenarios).toMatchObject([{ base: { tokens: bare, runs: 1, unknown: 0 }, head: { runs: 1 } }]);
      return [part, difference ?? 0] as const;
    });
    const of = (part: string): number => added.find(([name]) => name === part)?.[1] ?? NaN;
    expect(of('skill stamp')).toBeGreaterThanOrEqual(Math.floor(tokensOf(DESCRIPTION)));
    expect(of('skill stamp')).toBeLessThan(2 * tokensOf(DESCRIPTION) + AROUND);
    expect(of('instructions')).toBeGreaterThanOrEqual(Math.floor(tokensOf(GUIDE)));
    expect(of('instructions')).toBeLessThan(tokensOf(GUIDE) + AROUND);
    if (!hasMcp) return;
    const { text } = await openRun(
      document,
      document.cells.findIndex(({ variant }) => variant === 'server'),
    );
    const definitions = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent)
      .flatMap((event) => (event.type === 'mcp_tools' ? event.tools : []))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    expect(definitions).toBeGreaterThan(0);
    expect(of('MCP server files')).toBeGreaterThan(SEARCHES.includes(agent) ? 0 : definitions / 4 / 2);
    expect(of('MCP server files')).toBeLessThan(2 * (definitions / 4) + AROUND);
  },
);
