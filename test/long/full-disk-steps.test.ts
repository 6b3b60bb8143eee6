import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesIn } from '../commands/engine-parts.js';
import { canMount, fill, collectStderr, mend, onSmallDisks } from '../chaos/small-disks.js';
import { letGo, startsOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until } from '../commands/project.js';
import { pendingFailure } from './pending-failure.js';

/** The command of a step: it records its beginning, waits, tries to write to the workspace, and records its end. */
const writing = (folder: string): string =>
  `echo x >> ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.05; done; echo x > made; code=$?; echo x >> ${folder}/over; [ $code = 0 ] || exit $code`;

const STEPS = {
  'a setup command': (folder: string) => `setup: {commands: ['${writing(folder)}']}`,
  'an evaluator': (folder: string) =>
    `scripts: {evaluators: [{name: e, command: 'echo x >> ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.05; done; echo x >> ${folder}/over; echo "{\\"score\\": 1}"'}]}`,
} as const;

describe.concurrent('with a full state disk', () => {
  for (const [name, more] of Object.entries(STEPS))
    test.runIf(canMount)(
      `the step of ${name} is repeated once there is space, and the agent starts once`,
      async ({ onTestFinished }) => {
        const one = await onSmallDisks({}, {});
        onTestFinished(() => one.remove());
        const { project, state } = one;
        const { folder } = project;
        const gates = name === 'an evaluator' ? [] : ['{type: file_contains, path: made, substring: x}'];
        const steps = [`run: 'echo start >> ${folder}/starts'`];
        await project.write('fixtures/w.yaml', scenario('w', { gates, steps, more: more(folder) }));
        const command = one.start(['run', 'w', '--json']);
        const output = collectStderr(command);
        await until('the step', () => (existsSync(join(folder, 'begun')) ? true : null));
        fill(state);
        await until('the command says what it waits for', () =>
          /waiting since .*Z: .*the disk is full: free some space/.test(output()) ? true : null,
        );
        await project.write('go', '');
        await until('its command has ended', () => (existsSync(join(folder, 'over')) ? true : null));
        await until('the step waits for the disk', async () =>
          command.exitCode !== null || /disk is full.*waiting since/.test(await pendingFailure(one)) ? true : null,
        );
        await mend(state);
        const { exitCode, stdout, stderr } = await command;
        expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
        expect(documentOf(stdout).cells).toMatchObject([{ outcome: 'pass', starts: 1 }]);
        expect(linesIn(project, 'starts')).toHaveLength(1);
      },
    );
});

test.concurrent(
  'a sweep continues, with one start of each agent, after its results folder was moved away and put back',
  async ({ onTestFinished }) => {
    const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    onTestFinished(() => project.remove());
    for (const name of ['first', 'second']) await writeGated(project, name);
    const command = project.start(['run', 'first', 'second', '--concurrency', '1', '--json']);
    const output = collectStderr(command);
    await untilStarted(project, 'first');
    const { results } = project;
    await rename(results, `${results}.away`);
    await until('the command says what it waits for', () =>
      /waiting since .*Z: .*llm-tool-test-results: the folder is gone: put it back/.test(output()) ? true : null,
    );
    for (const name of ['first', 'second']) await letGo(project, name);
    await rename(`${results}.away`, results);
    const { exitCode, stdout, stderr } = await command;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 2 } });
    for (const name of ['first', 'second']) expect(startsOf(project, name)).toBe(1);
  },
);
