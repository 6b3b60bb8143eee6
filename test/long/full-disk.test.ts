import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, type TestContext } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { linesIn, partOf } from '../commands/engine-parts.js';
import { canMount, DISKS, fill, forbid, collectStderr, mend, onSmallDisks, type Small } from '../chaos/small-disks.js';
import { scenario, until, type TestProject } from '../commands/project.js';
import { pendingFailure } from './pending-failure.js';

const why = canMount ? '' : ' (skipped: only root may mount a small file system)';

/** A server of its own is needed only where its own disk cannot be written. */
async function newDisks({ onTestFinished }: TestContext, disk: keyof typeof DISKS = 'results'): Promise<Small> {
  const one = await onSmallDisks({}, { ownServer: disk !== 'results' });
  onTestFinished(() => one.remove());
  return one;
}

const parts = ({ project, state, results }: Small) => ({ ...project, state, results });
const waitFor = (project: TestProject, name: string): string =>
  `echo x >> ${project.folder}/${name}.begun; until [ -e ${project.folder}/${name}.go ]; do sleep 0.05; done`;

/** Scenarios that wait in a step while the disk cannot be written, by the name of the step. */
const STEPS = {
  agent: {
    steps: (project: TestProject) => [`run: '${waitFor(project, 'agent')}; echo over > out.txt'`],
    gates: () => ['{type: file_contains, path: out.txt, substring: over}'],
    more: () => '',
  },
  gate: {
    steps: () => [`run: 'echo over > out.txt'`],
    gates: (project: TestProject) => [
      `{type: command_succeeds, command: '${waitFor(project, 'gate')}; echo x > written; code=$?; echo x > ${project.folder}/gate.over; exit $code', timeout_secs: 900}`,
    ],
    more: () => '',
  },
  report: {
    steps: () => [`run: 'echo over > out.txt'`],
    gates: () => ['{type: file_contains, path: out.txt, substring: over}'],
    more: (project: TestProject) => `scripts: {post: [{command: '${waitFor(project, 'report')}', timeout_secs: 900}]}`,
  },
} as const;

// A file system cannot be made read-only while files on it are open for writing, as the server's are. So only the
// results are made read-only.
const cases = (['state', 'results', 'both'] as const).flatMap((disk) =>
  (['gate', 'report', 'agent'] as const).flatMap((step) =>
    (disk === 'results' ? (['full', 'read-only'] as const) : (['full'] as const)).map((how) => ({
      name: `${how}: ${disk}, at the ${step}`,
      disk,
      step,
      how,
    })),
  ),
);

describe.concurrent(`a disk that cannot be written${why}`, () => {
  for (const { name, disk, step, how } of cases) {
    test.runIf(canMount)(
      `${name}: the command says what it waits for, no agent starts twice, and the run continues by itself`,
      async (context) => {
        const one = await newDisks(context, disk);
        const { project } = one;
        const { steps, gates, more } = STEPS[step];
        const counted = [`run: 'echo start >> ${project.folder}/starts'`, ...steps(project)];
        await project.write(
          'fixtures/w.yaml',
          scenario('w', { steps: counted, gates: [...gates(project)], more: more(project) }),
        );
        const command = one.start(['run', 'w', '--json']);
        const output = collectStderr(command);
        await until(`the ${step}`, () => (existsSync(join(project.folder, `${step}.begun`)) ? true : null));
        for (const path of DISKS[disk](one)) {
          if (how === 'full') fill(path);
          else await forbid(path);
        }
        await until('the command says what it waits for', () => (/waiting since .*Z: /.test(output()) ? true : null));
        await project.write(`${step}.go`, '');
        // An agent can end while the disk cannot be written; all later steps wait.
        if (step === 'agent') await until('its agent has ended', () => agentHasEnded(one));
        // The gate's command fails because of the disk, which says nothing about the agent's work: it is run again.
        if (step === 'gate')
          await until('its command has ended', () => (existsSync(join(project.folder, 'gate.over')) ? true : null));
        expect(await partOf(parts(one), 'keeper')).not.toBeNull();
        for (const path of DISKS[disk](one)) await mend(path);
        const { exitCode, stdout } = await command;
        const document = JSON.parse(stdout) as SweepDocument;
        expect(linesIn(project, 'starts')).toHaveLength(1);
        if (step === 'agent' && disk !== 'results') {
          expect(document.cells[0]).toMatchObject({
            outcome: 'error',
            message: expect.stringContaining('may not have been able to write') as string,
          });
          expect(exitCode).toBe(3);
        } else {
          expect(document.cells[0]).toMatchObject({ outcome: 'pass', starts: 1 });
          expect(exitCode).toBe(0);
        }
      },
    );
  }
});

/** True if no process of the agent is alive. */
async function agentHasEnded({ project }: Small): Promise<true | null> {
  const { stdout } = await execa('ps', ['-eo', 'args']);
  return stdout.split('\n').some((line) => line.includes(`${project.folder}/agent.go`)) ? null : true;
}

test.runIf(canMount).concurrent(`no agent starts while its start could not be recorded${why}`, async (context) => {
  const one = await newDisks(context);
  const { project, results } = one;
  const steps = [`run: 'echo start >> ${project.folder}/starts; echo over > out.txt'`];
  const gates = ['{type: file_contains, path: out.txt, substring: over}'];
  const more = `setup: {commands: ['${waitFor(project, 'setup')}']}`;
  await project.write('fixtures/w.yaml', scenario('w', { steps, gates, more }));
  const command = one.start(['run', 'w', '--json']);
  await until('the setup', () => (existsSync(join(project.folder, 'setup.begun')) ? true : null));
  fill(results);
  await project.write('setup.go', '');
  await until('the agent step waits for the disk', async () =>
    /^runAgent .*disk is full.*waiting since/.test(await pendingFailure(one)) ? true : null,
  );
  expect(linesIn(project, 'starts')).toEqual([]);
  await mend(results);
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  expect((JSON.parse(stdout) as SweepDocument).cells[0]).toMatchObject({ outcome: 'pass', starts: 1 });
  expect(linesIn(project, 'starts')).toHaveLength(1);
});

test
  .runIf(canMount)
  .concurrent(`the next command waits for an idle engine whose state disk is full${why}`, async (context) => {
    const one = await newDisks(context, 'state');
    const { project, state } = one;
    await project.write('fixtures/w.yaml', scenario('w', { steps: ['say: x'] }));
    expect((await one.start(['engine', 'start'])).exitCode).toBe(0);
    fill(state);
    const command = one.start(['run', 'w', '--json']);
    const output = collectStderr(command);
    await until('the command says what it waits for', () =>
      /waiting: .*disk-state.*the disk is full: free some space/.test(output()) ? true : null,
    );
    await mend(state);
    expect((await command).exitCode).toBe(0);
  });
