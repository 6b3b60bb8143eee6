import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/results/sweep-document.js';
import { createProject, scenario, type TestProject } from './project.js';

let project: TestProject;

/** A scenario with a fixture, a target, a gate's script and an agent of its own, which are made here too. */
async function writeScenario(name: string, more = '', steps = ["say: 'hello'"]): Promise<void> {
  await project.write(`fixtures/${name}/README.md`, 'nothing\n');
  for (const [file, text] of [
    [`bin/${name}`, 'echo version 1'],
    [`${name}-check.sh`, 'exit 0'],
    [`${name}-agent.sh`, 'echo hello'],
  ] as const)
    await project.write(file, `#!/bin/sh\n${text}\n`, 0o755);
  const text = scenario(name, {
    target: `{binary: ../bin/${name}, health_check: ${name}}`,
    gates: [`{type: command_succeeds, command: ${join(project.folder, `${name}-check.sh`)}}`],
    steps,
    more,
  });
  await project.write(
    `fixtures/${name}.yaml`,
    text.replace('template_folder: empty', `template_folder: ${name}`),
  );
}

/** What changes between two runs of the scenario of this name. */
const CHANGES: Record<string, () => Promise<void>> = {
  instructions: () => project.write('fixtures/instructions/AGENTS.md', 'be brief'),
  prompt: async () =>
    project.write(
      'fixtures/prompt.yaml',
      (await project.read('fixtures/prompt.yaml')).replace('do it', 'go'),
    ),
  script: () => project.write('script-check.sh', '#!/bin/sh\ntrue\n', 0o755),
  target: () => project.write('bin/target', '#!/bin/sh\necho version 2\n', 0o755),
  program: () => project.write('program-agent.sh', '#!/bin/sh\necho hi\n', 0o755),
};

const cachedOf = ({ cells }: SweepDocument): string[] =>
  cells.flatMap(({ scenario: name, cached }) => (cached ? [name] : []));
const runFolders = async (): Promise<number> =>
  (await readdir(project.results)).filter((name) => /^\d{8}-\d{6}-/.test(name)).length;

beforeAll(async () => {
  project = await createProject({
    'llm-tool-test-config.toml': '[agents.own]\ncommand = "./program-agent.sh"\nfree = true\n',
  });
  for (const name of ['same', 'gone', ...Object.keys(CHANGES)])
    await writeScenario(name, name === 'program' ? 'tool_matrix: [{tool: own}]' : '');
  await writeScenario('refused', 'cost: {cache: false}');
  await writeScenario('incomplete', '', ['exit: 7']);
});
afterAll(() => project.remove());

describe('a finished run', () => {
  let first: SweepDocument;
  let second: SweepDocument;
  let third: SweepDocument;
  let folders: number[];

  beforeAll(async () => {
    const runAll = async (): Promise<SweepDocument> => {
      const { exitCode, document } = await project.run(['--all']);
      expect(exitCode).toBe(0);
      return document;
    };
    first = await runAll();
    for (const change of Object.values(CHANGES)) await change();
    const gone = first.cells.find(({ scenario: name }) => name === 'gone')?.results_dir;
    if (typeof gone !== 'string') throw new Error(`no folder to remove: ${gone}`);
    await rm(gone, { recursive: true });
    second = await runAll();
    folders = [await runFolders()];
    third = await runAll();
    folders.push(await runFolders());
  });

  test('is reused by a run of the same inputs, shown as cached', async () => {
    expect(first.totals).toMatchObject({ passed: 9, cached: 0 });
    const of = ({ cells }: SweepDocument) => cells.find(({ scenario: name }) => name === 'same');
    expect(of(second)).toMatchObject({
      cached: true,
      attempts: 0,
      results_dir: of(first)?.results_dir,
      gates_passed: 1,
    });
    const lines = await project.resultLines();
    expect(
      lines.find(({ sweep, scenario_id }) => sweep === second.sweep && scenario_id === 'same'),
    ).toMatchObject({ cached_from: of(first)?.results_dir?.split('/').at(-1) });
    expect((await project.cli(['run', 'same'])).stdout).toMatch(/same +mock.*cached\n/);
  });

  test.each([
    ["the fixture's AGENTS.md", 'instructions'],
    ['the prompt', 'prompt'],
    ['a script outside the fixture', 'script'],
    ['what the health check prints, and the target', 'target'],
    ["the agent's program", 'program'],
  ])('is not reused after a change of %s, and the new one is reused later', (_, name) => {
    expect(cachedOf(second)).not.toContain(name);
    expect(cachedOf(third)).toContain(name);
  });

  test('is not reused when its folder is gone', () => {
    expect(cachedOf(second)).not.toContain('gone');
    expect(cachedOf(third)).toContain('gone');
  });

  test.each([
    ['where the scenario says cache: false', 'refused'],
    ['when its agent did not complete', 'incomplete'],
  ])('is not reused %s', (_, name) => {
    for (const document of [second, third]) expect(cachedOf(document)).not.toContain(name);
  });

  test('leaves no folder of its own where another is reused', () => {
    const [before = 0, after = 0] = folders;
    expect(second.totals.cached).toBe(1);
    expect(after - before).toBe(third.totals.cells - third.totals.cached);
  });

  test('is not reused with --no-cache, and the new one is reused later', async () => {
    const { document } = await project.run(['same', '--no-cache']);
    expect(document.totals.cached).toBe(0);
    const { document: later } = await project.run(['same']);
    expect(later.cells[0]).toMatchObject({ cached: true, results_dir: document.cells[0]?.results_dir });
  });

  test('is not reused by another repetition, another model or another agent', async () => {
    const args = ['same', '--repeat', '2', '--models', 'default,other', '--agents', 'mock,own'];
    const { document } = await project.run(args);
    expect(document.totals).toMatchObject({ cells: 8, passed: 8 });
    expect(document.cells.filter(({ cached }) => cached).map(({ id }) => id)).toEqual([
      'same/mock/default/default/1',
    ]);
    expect((await project.run(args)).document.totals.cached).toBe(8);
  });
});
