import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;

/** Prints what pi prints: with a skill, its first request is 40 tokens larger, and 10 of all come from a cache. */
const FAKE_PI = `#!/bin/sh
if [ "$1" = --version ]; then echo 1.0; exit; fi
touch out.txt
size=100
[ -d "$PI_CODING_AGENT_DIR/skills" ] && size=140
echo '{"type":"session","id":"s1"}'
echo '{"type":"message_end","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"done"}],"usage":{"input":'$size',"output":5,"cacheRead":10,"cacheWrite":0,"totalTokens":155},"stopReason":"stop"}}'
echo '{"type":"agent_end","messages":[{"role":"assistant","stopReason":"stop"}]}'
`;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[agents.pi]\ncommand = "./fake-pi"\nmodels = ["openai/m"]\n',
    'fixtures/skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n\nRun stamp.sh.\n',
    'fixtures/stamp.yaml': scenario('stamp', {
      target: null,
      gates: ['{type: file_exists, path: out.txt}'],
      more: 'tool_matrix: [{agent: pi}]\nsubject: {skill: skills/stamp}\nbaseline: true',
    }),
  });
  await project.write('fake-pi', FAKE_PI, 0o755);
});
afterAll(() => project.remove());

test('run, show, report and compare state what a skill adds before the first turn', async () => {
  const env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test' };
  const { document } = await project.run(['stamp', '--repeat', '2'], env);
  const added = [{ agent: 'pi', model: 'openai/m', added: ['skill stamp'], removed: [], difference: 40 }];
  expect(document.subject_tokens).toMatchObject(added);
  const { run, metrics, text } = await openRun(document);
  expect(run.agent?.first_request).toEqual({ tokens: 150 });
  expect(metrics.agent_work?.first_request_tokens).toBe(150);
  expect(await text('report.md')).toContain('| First request | 150 tokens |');

  const stdoutOf = async (...args: string[]): Promise<string> => (await project.cli(args)).stdout;
  const row = ['skill stamp adds 40 tokens', 'pi/openai/m', '110', '150', '2 and 2'];
  expect(await stdoutOf('show', document.sweep)).toMatch(new RegExp(row.join(' +')));
  expect(await stdoutOf('report', document.sweep, '--format', 'md')).toContain(`| ${row.join(' | ')} |`);
  const variants = ['compare', document.sweep, '--variants', 'without,with'];
  expect(await stdoutOf(...variants)).toMatch(new RegExp(row.join(' +')));
  expect(Comparison.parse(JSON.parse(await stdoutOf(...variants, '--json'))).subject_tokens).toMatchObject(added);
  const summary = join('llm-tool-test-results/sweeps', document.sweep, 'summary.json');
  expect(JSON.parse(await project.read(summary))).toMatchObject({ subject_tokens: added });
});
