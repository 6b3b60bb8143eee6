import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario } from '../commands/project.js';
import { linesIn } from '../commands/engine-parts.js';

/** A fake `unshare` that works when the machine is checked, but fails to fork when an agent is started. */
const unshare = (log: string): string => `#!/bin/sh
for last; do :; done
[ "$last" = true ] && exit 0
echo start >>'${log}'
echo 'unshare: fork failed: Resource temporarily unavailable' >&2
exit 1
`;

test.runIf(process.platform === 'linux')(
  'an agent whose supervisor dies before any output is started three times, and the message says why it was lost',
  async ({ onTestFinished }) => {
    const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    onTestFinished(() => project.remove());
    const { folder } = project;
    await project.write('bin/unshare', unshare(join(folder, 'starts')), 0o755);
    const more = `setup: {commands: ['echo setup >> ${folder}/setups']}`;
    await project.write(
      'fixtures/lost.yaml',
      scenario('lost', { gates: ['{type: file_exists, path: x}'], steps: [`run: 'echo x > x'`], more }),
    );
    const { exitCode, document } = await project.run(['lost'], {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    });
    expect(exitCode).toBe(3);
    const message =
      'the agent was lost 3 times without an exit status: unshare: fork failed: Resource temporarily unavailable';
    expect(document.cells).toMatchObject([
      { outcome: 'error', message: expect.stringContaining(message) as string, starts: 3, attempts: 1 },
    ]);
    expect(linesIn(project, 'starts')).toHaveLength(3);
    expect(linesIn(project, 'setups')).toHaveLength(3);
    const { run } = await openRun(document);
    expect(run.message).toContain(message);
    expect(run.starts).toBe(3);
    expect(run.steps.find(({ name }) => name === 'agent')).toMatchObject({ status: 'failed', attempts: 1 });
    for (const start of [1, 2, 3])
      expect(run.warnings.join('\n')).toContain(`start ${start} of the agent was lost without an exit status`);
  },
);
