import { execFileSync, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  type TestProject,
  until,
} from '../commands/project.js';
import { kill, partOf } from '../commands/engine-parts.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';

const lacking = await whyNoContainers('docker');
if (lacking !== null) console.warn(`no test of builds: ${lacking}`);

describe.skipIf(lacking !== null)('a build of an image', () => {
  let project: TestProject;

  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 1000, "heartbeatMs": 4000}';
  });
  afterAll(() => project.remove());

  /** A scenario whose image has a step that waits. The time makes its content new. */
  async function writeScenario(name: string): Promise<void> {
    const gates = ['{type: file_exists, path: README.md}'];
    const more = `environment: {type: docker, build: ${name}}`;
    await project.write(`fixtures/${name}.yaml`, scenario(name, { gates, steps: ['say: x'], more }));
    const dockerfile = `FROM ${IMAGE}\nRUN echo ${name} ${Date.now()}; until [ -e /go ]; do sleep 0.1; done\n`;
    await project.write(`fixtures/${name}/Dockerfile`, dockerfile);
  }
  /** The containers in which the step of a build works. */
  const stepsOf = (name: string): string[] =>
    spawnSync('docker', ['ps', '--no-trunc', '--format', '{{.ID}} {{.Command}}'], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line.includes(`echo ${name} `))
      .map((line) => line.split(' ')[0] ?? '');
  const begun = (name: string): Promise<string> => until('the build', () => stepsOf(name)[0] ?? null);

  it('is one for all runs, and goes on when the worker is killed', async () => {
    await writeScenario('joined');
    const command = project.start(['run', 'joined', '--agents', 'mock', '--repeat', '3', '--json']);
    const step = await begun('joined');
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    expect(stepsOf('joined')).toEqual([step]);
    execFileSync('docker', ['exec', step, 'touch', '/go']);
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const document = documentOf(stdout);
    expect(document.totals).toMatchObject({ passed: 3 });
    for (const cell of [0, 1, 2]) {
      const { run } = await openRun(document, cell);
      const image = run.steps.find(({ name }) => name === 'image');
      expect([run.starts, image?.status, typeof image?.duration_ms]).toEqual([1, 'done', 'number']);
    }
    const [folder = ''] = document.cells.map(({ results_dir }) => results_dir ?? '');
    const shown = await project.cli(['show', folder.split('/').at(-1) ?? '']);
    expect(shown.exitCode).toBe(0);
  });

  it('ends when the only sweep that needs it is cancelled', async () => {
    await writeScenario('dropped');
    const command = project.start(['run', 'dropped', '--agents', 'mock', '--name', 'dropped', '--json']);
    await begun('dropped');
    expect((await project.cli(['cancel', 'dropped'])).exitCode).toBe(0);
    expect(documentOf((await command).stdout).totals).toMatchObject({ cancelled: 1 });
    await until('the end of the build', () => (stepsOf('dropped').length === 0 ? true : null));
  });

  it('that fails by its Dockerfile is an error of its cells, and made once', async () => {
    await writeScenario('broken');
    const failing = `FROM ${IMAGE}\nRUN echo broken ${Date.now()}; echo connection refused; exit 7\n`;
    await project.write('fixtures/broken/Dockerfile', failing);
    const { exitCode, document } = await project.run(['broken', '--agents', 'mock', '--repeat', '2']);
    expect(exitCode).toBe(3);
    for (const { outcome, message } of document.cells)
      expect([outcome, message]).toEqual(['error', expect.stringContaining('returned a non-zero code: 7')]);
  });
});
