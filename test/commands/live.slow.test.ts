import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const MOCKS = {
  mocks: [{ command: 'uname', response: 'mocked' }, { endpoint: 'GET /' }],
  mock_url_variables: ['API_URL'],
};
const OWN_FORM = scenario('own', {
  gates: ['{type: file_exists, path: README.md}'],
  steps: ['run: "uname >uname.txt; echo ${API_URL-none} >url.txt"'],
  more: `setup: ${JSON.stringify(MOCKS)}`,
});
const ELIZA = JSON.stringify({
  name: 'eliza',
  setup: MOCKS,
  run: [
    {
      lang: 'sh',
      code: 'uname; echo ${API_URL-none}',
      evaluations: [{ type: 'regex_match', pattern: '.' }],
    },
  ],
});
const MATRIX = JSON.stringify({
  name: 'matrix',
  base_scenario: 'eliza.scenario.yaml',
  matrix: [{ parameter: 'description', values: ['a', 'b'] }],
});

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/own.yaml': OWN_FORM,
    'fixtures/plain.yaml': scenario('plain', { steps: ['say: hello'] }),
    'eliza.scenario.yaml': ELIZA.replace('"name"', '"description":"x","name"'),
    'eliza.matrix.yaml': MATRIX,
  });
});
afterAll(() => project.remove());

describe('run --live', () => {
  let live: SweepDocument;
  let stderr: string;
  beforeAll(async () => {
    await project.run(['own', '--agents', 'mock']);
    ({ document: live, stderr } = await project.run(['own', '--agents', 'mock', '--live']));
  });

  it('ignores mocks, and does not reuse a result with mocks', async () => {
    const { text, run } = await openRun(live);
    expect(live.cells[0]).toMatchObject({ outcome: 'pass', cached: false });
    expect(await text('fixture/uname.txt')).not.toContain('mocked');
    expect(await text('fixture/url.txt')).toBe('none\n');
    expect(run.mocks).toBeUndefined();
    expect(run.warnings).toEqual([]);
  });

  it('is said in the terminal, the report, run.json and the documents', async () => {
    const { text, run } = await openRun(live);
    expect(stderr).toContain('live: mocks are ignored');
    expect(run.live).toBe(true);
    expect(await text('report.md')).toMatch(/\| Mocks +\| ignored \(--live\) +\|/);
    expect(live.live).toBe(true);
    const { stdout } = await project.cli(['show', live.sweep]);
    expect(stdout).toContain('live: mocks were ignored');
    expect(documentOf((await project.cli(['show', live.sweep, '--json'])).stdout).live).toBe(true);
  });

  it('says nothing without the flag', async () => {
    const { document, stderr: quiet } = await project.run(['own', '--agents', 'mock']);
    expect(document.live).toBeUndefined();
    expect(document.cells[0]?.cached).toBe(true);
    expect(quiet).not.toContain('live');
  });

  it('is allowed for a scenario without mocks, and said in a dry run', async () => {
    const { exitCode, document } = await project.run(['plain', '--agents', 'mock', '--live']);
    expect(exitCode).toBe(0);
    expect(document.live).toBe(true);
    const { stdout } = await project.cli(['run', 'own', '--agents', 'mock', '--live', '--dry-run']);
    expect(stdout).toContain('mocks are ignored');
  });
});

describe('scenario run and scenario matrix', () => {
  const answers = async (document: SweepDocument): Promise<string[]> =>
    Promise.all(document.cells.map(async (_, cell) => (await openRun(document, cell)).run.setup[0]?.stdout ?? ''));

  it('ignore mocks with --live', async () => {
    for (const args of [
      ['scenario', 'run', 'eliza.scenario.yaml'],
      ['scenario', 'matrix', 'eliza.matrix.yaml'],
    ]) {
      const mocked = await answers(documentOf((await project.cli([...args, '--json'])).stdout));
      for (const answer of mocked) expect(answer).toMatch(/^mocked\n?http:/);
      for (const flag of ['--live', '-l']) {
        const { stdout } = await project.cli([...args, flag, '--json']);
        const document = documentOf(stdout);
        expect(document.live).toBe(true);
        for (const answer of await answers(document)) {
          expect(answer).not.toContain('mocked');
          expect(answer).toContain('none');
        }
      }
    }
  });
});
