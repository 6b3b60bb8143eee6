import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import type { Plan } from '../../src/scenario/plan.js';
import { runFiles } from '../../src/store/results-folder.js';
import { expectRemoved, runsOf } from './engine-parts.js';
import { letGo, untilStarted, writeGated } from './gated.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const lacking = await bubblewrapProblem();
const ENVIRONMENTS = ['local', ...(lacking === null ? ['bubblewrap'] : [])];

/** Names of the cell, the word for what the workspace is made from, and an answer. None of them may reach the agent. */
const NAMES = /zzscenario|zzvariant|zzlabel|zzmodel|zzfolder|fixture|SECRET/i;

/** Writes down everything that its process and those above it can see without looking for it. */
const DUMP = `#!/bin/sh
{
  pwd; printf '%s\\n' "$0" "$@"
  for pid in self $$ $PPID; do
    readlink /proc/$pid/cwd; ls -l /proc/$pid/fd
    for file in environ cmdline mountinfo; do tr '\\0' '\\n' </proc/$pid/$file; done
  done
  for folder in "$HOME" "$TMPDIR" "$HOME/.." "$(dirname "$(command -v mocked)")"; do
    find "$folder" -xdev -print -type f -exec cat {} +
  done
  mocked x
} >seen.txt 2>/dev/null
echo done
`;

const MODULE = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
export const createAgent = ({ services }) => ({
  respond() {
    const { HOME } = process.env;
    const files = readdirSync(HOME + '/../config', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, path, name }) => readFileSync((parentPath ?? path) + '/' + name, 'utf8'));
    writeFileSync('seen.txt', JSON.stringify([process.cwd(), process.env, process.argv, files]));
    return 'done';
  },
});
`;

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/zzfolder/README.md': 'x',
    'fixtures/zzfolder/evals/evals.json': '{"evals": [{"prompt": "a", "expected_output": "SECRET"}]}',
    'host.mjs': MODULE,
    'llm-tool-test-config.toml': `[agents.zzlabel]
command = "./dump"
models = ["zzmodel"]
[agents.zzlabel-hosted]
module = "host.mjs"
free = true
`,
  });
  await project.write('dump', DUMP, 0o755);
  for (const type of ENVIRONMENTS)
    await project.write(
      `fixtures/zzscenario-${type}.yaml`,
      scenario(`zzscenario-${type}`, {
        gates: ['{type: file_exists, path: seen.txt}'],
        more: `environment: {type: ${type}}
matrix: {variants: [{name: zzvariant}]}
setup: {mocks: [{command: mocked, response: hello}, {endpoint: GET /x, response: {}}]}`,
      }).replace('template_folder: empty', 'template_folder: zzfolder'),
    );
});
afterAll(() => project.remove());

it.each(ENVIRONMENTS)(
  'nothing that agents are given or work in, in %s, names scenario, variant, agent or model, or has an answer of a suite',
  async (type) => {
    const agents = ['zzlabel', 'zzlabel-hosted'];
    const args = [`zzscenario-${type}`, '--agents', agents.join(',')];
    const { document } = await project.run(args, { LLM_TOOL_TEST_ENABLED: '1' });
    const plan = await project.read(`llm-tool-test-results/sweeps/${document.sweep}/plan.json`);
    expect((JSON.parse(plan) as Plan).scenarios).toMatchObject([{ left_out: ['zzfolder/evals/'] }]);
    for (const [index, agent] of agents.entries()) {
      const { run, text } = await openRun(document, index);
      expect(run).toMatchObject({ outcome: 'pass', environment: type, agent_name: agent });
      const seen = (await text('fixture/seen.txt')).split('\n');
      expect(seen.length).toBeGreaterThan(agent === 'zzlabel' ? 50 : 0);
      // An agent of the config learns from this variable which model to use.
      expect(seen.filter((line) => NAMES.test(line.replace('LLM_TOOL_TEST_MODEL=zzmodel', '')))).toEqual([]);
    }
  },
);

it('people find the workspace of a run that is not over by a link in the run folder, which show names', async () => {
  await writeGated(project, 'waiting');
  const command = project.start(['run', 'waiting']);
  await untilStarted(project, 'waiting');
  const [run = ''] = runsOf(project, 'waiting');
  const { workspace } = runFiles(join(project.results, run));
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).not.toBe('');
  const { exitCode, stderr } = await project.cli(['show', run]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(`its workspace is .*/${run}/workspace`)]);
  await letGo(project, 'waiting');
  expect((await command).exitCode).toBe(0);
  expect(existsSync(join(project.results, run, 'fixture', 'README.md'))).toBe(true);
  expectRemoved(project, 'waiting');
});
