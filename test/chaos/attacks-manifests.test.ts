import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import type { Plan } from '../../src/scenario/plan.js';
import { planFile, scenarioFile } from '../../src/store/results-folder.js';
import { gatedCommand, letGo, sweepOf, untilStarted } from '../commands/gated.js';
import { foldersOf } from '../commands/engine-parts.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, type TestProject } from '../commands/project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());

const IMPOSSIBLE = '{type: file_exists, path: no-such-file}';
const THERE = '{type: file_exists, path: README.md}';

/** Runs a scenario whose last gate waits, and changes the manifests of earlier steps meanwhile. */
async function meddled(name: string, gates: string[], meddle: (steps: string) => Promise<void>) {
  const waiting = `{type: command_succeeds, command: '${gatedCommand(project, name)}', timeout_secs: 600}`;
  await project.write(`fixtures/${name}.yaml`, scenario(name, { gates: [...gates, waiting], steps: ['say: done'] }));
  const command = project.start(['run', name, '--name', name, '--json']);
  await untilStarted(project, name);
  const [folder = ''] = foldersOf(project, name);
  await meddle(join(folder, 'steps'));
  await letGo(project, name);
  const { exitCode, stdout } = await command;
  return { exitCode, document: documentOf(stdout) };
}

async function expectError(
  { exitCode, document }: { exitCode: number | undefined; document: SweepDocument },
  message: RegExp,
): Promise<void> {
  expect(document.cells[0]).toMatchObject({
    outcome: 'error',
    message: expect.stringMatching(message) as string,
  });
  expect(exitCode).toBe(3);
  const { metrics } = await openRun(document);
  expect(metrics.gates_passed).toBeLessThan(metrics.gates_total);
  expect(metrics.details).toHaveLength(metrics.gates_total);
}

test('an agent that forges the manifest of a gate makes its run an error, not a pass', async () => {
  const forged = JSON.stringify({
    duration_ms: 1,
    attempt: 1,
    at: new Date().toISOString(),
    mac: 'f'.repeat(64),
    result: {
      index: 0,
      gate_type: 'file_exists',
      name: null,
      subject: 'no-such-file',
      status: 'pass',
      passed: true,
      message: 'it is there',
      detail: null,
      duration_ms: 1,
    },
  });
  await project.write(
    'fixtures/forger.yaml',
    scenario('forger', {
      gates: [IMPOSSIBLE, THERE],
      steps: [`run: "echo '${forged.replaceAll('"', '\\"')}' > ../steps/gate-1.json"`],
    }),
  );
  const ended = await project.run(['forger']);
  await expectError(ended, /1\/2 gates passed, 1 not checked: .*was modified/);
  // The forgery does not cause another start of the agent.
  expect((await openRun(ended.document)).run.agent?.starts).toBe(1);
});

test('an agent that forges the manifest of the report makes its run an error with unknown attempts and starts', async () => {
  await project.write(
    'fixtures/reporter.yaml',
    scenario('reporter', {
      gates: [THERE],
      steps: [`run: "echo '{\\"result\\":{\\"outcome\\":\\"pass\\"}}' > ../steps/report.json"`],
    }),
  );
  const { exitCode, document } = await project.run(['reporter']);
  expect(exitCode).toBe(3);
  const message = expect.stringMatching(
    /the report could not be written: .*result of step 'report' was modified/,
  ) as string;
  expect(document.cells[0]).toMatchObject({ outcome: 'error', message, attempts: null, starts: null });
});

test('a gate whose manifest is removed during the run is an error', async () => {
  const ended = await meddled('removed', [THERE], (steps) => rm(join(steps, 'gate-1.json')));
  await expectError(ended, /1\/2 gates passed, 1 not checked: file_exists README\.md: left no result/);
});

test('a manifest copied from another step of the same run is rejected', async () => {
  const ended = await meddled('swapped', [THERE, IMPOSSIBLE], (steps) =>
    copyFile(join(steps, 'gate-1.json'), join(steps, 'gate-2.json')),
  );
  await expectError(ended, /2\/3 gates passed, 1 not checked: file_exists no-such-file: .*was modified/);
});

test.each(['prepare', 'agent'])('a run is an error if the manifest of its step %s is removed', async (step) => {
  const name = `without-${step}`;
  const { document, exitCode } = await meddled(name, [THERE], (steps) => rm(join(steps, `${step}.json`)));
  expect(exitCode).toBe(3);
  expect(document.cells[0]).toMatchObject({
    outcome: 'error',
    message: expect.stringContaining(`step '${step}' left no result`) as string,
  });
});

test('a stored scenario that was changed after it was planned makes its run an error, not a pass', async () => {
  await project.write('fixtures/altered.yaml', scenario('altered', { gates: [IMPOSSIBLE], steps: ['say: x'] }));
  // The command finds no server, so it plans the sweep but does not start it.
  await project.cli(['run', 'altered', '--name', 'altered', '--address', '127.0.0.1:1']);
  const sweep = await sweepOf(project, 'altered');
  const plan = JSON.parse(await readFile(planFile(project.results, sweep), 'utf8')) as Plan;
  const stored = scenarioFile(project.results, plan.scenarios[0]?.hash ?? '');
  await writeFile(stored, (await readFile(stored, 'utf8')).replace('no-such-file', 'README.md'));
  const { exitCode, stdout } = await project.cli(['resume', sweep, '--json']);
  expect(documentOf(stdout).cells).toMatchObject([
    { outcome: 'error', message: expect.stringContaining('was changed since it was planned') as string },
  ]);
  expect(exitCode).toBe(3);
});
