import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { SweepDocument } from '../../src/results/sweep-document.js';
import {
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { linesIn, partOf, untilLines } from './engine-parts.js';

/** Mounting a small file system of one's own takes root, which CI has. */
const isRoot = process.getuid?.() === 0;

let project: TestProject;
let client: Client;
let results: string;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  results = join(project.folder, 'small');
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterEach(async () => {
  await project.cli(['engine', 'stop', '--results', results]);
  await execa('umount', [results], { reject: false });
});
afterAll(async () => {
  await client.connection.close();
  await project.cli(['engine', 'stop', '--results', results]);
  await project.remove();
});

const waiting = (name: string): string =>
  scenario(name, {
    gates: ['{type: file_exists, path: out.txt}'],
    steps: [
      `run: 'echo start >> ${project.folder}/${name}.starts; until [ -e ${project.folder}/${name}.go ]; do sleep 0.05; done; echo x > out.txt'`,
    ],
  });

/** What the server knows of the last failure of a run's step. */
async function lastFailure(name: string): Promise<string | null> {
  for await (const { workflowId } of client.workflow.list({ query: `Scenario = "${name}"` })) {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.message ?? null;
  }
  return null;
}

describe.runIf(isRoot)('a results folder on a small file system', { timeout: 120_000 }, () => {
  test.each<{ name: string; breakIt: () => Promise<unknown>; mendIt: () => Promise<unknown>; says: RegExp }>([
    {
      name: 'full',
      breakIt: () =>
        writeFile(join(results, 'ballast'), Buffer.alloc(64 * 1024 * 1024)).catch(() => undefined),
      mendIt: () => rm(join(results, 'ballast')),
      says: /disk is full: free some space/,
    },
    {
      name: 'readonly',
      breakIt: () => execa('mount', ['-o', 'remount,ro', results]),
      mendIt: () => execa('mount', ['-o', 'remount,rw', results]),
      says: /gone or read-only: make it writable/,
    },
  ])(
    'that gets $name is waited for with a message that says what to do; the agent is not started again',
    async ({ name, breakIt, mendIt, says }) => {
      await mkdir(results, { recursive: true });
      await execa('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', results]);
      await project.write(`fixtures/${name}.yaml`, waiting(name));
      const command = project.start(['run', name, '--results', results, '--json']);
      await untilLines(project, `${name}.starts`, 1);
      await breakIt();
      await project.write(`${name}.go`, '');
      await until('the step fails and says why', async () =>
        says.test((await lastFailure(name)) ?? '') ? true : null,
      );
      await mendIt();
      const { exitCode, stdout } = await command;
      expect(exitCode).toBe(0);
      expect(linesIn(project, `${name}.starts`)).toHaveLength(1);
      const { run } = await openRun(JSON.parse(stdout) as SweepDocument);
      expect(run.agent?.history.join('\n')).toMatch(says);
      await project.cli(['engine', 'stop', '--results', results]);
    },
  );
});

test(
  'a server that is away while the agent ends is waited for; the result is delivered when it is back',
  { timeout: 120_000 },
  async () => {
    const own = await createProject(EMPTY_FIXTURE, { ownServer: true });
    const starts = join(own.folder, 'away.starts');
    const steps = [
      `run: 'echo start >> ${starts}; until [ -e ${own.folder}/go ]; do sleep 0.05; done; echo over > ${own.folder}/over'`,
    ];
    await own.write(
      'fixtures/away.yaml',
      scenario('away', { gates: ['{type: file_exists, path: README.md}'], steps }),
    );
    const command = own.start(['run', 'away', '--name', 'away']);
    await untilLines(own, 'away.starts', 1);
    const keeper = await until('a keeper', () => partOf(own, 'keeper'));
    const server = await until('a server', () => partOf(own, 'server'));
    process.kill(keeper.pid, 'SIGSTOP'); // so that nobody brings the server back
    process.kill(server.pid, 'SIGKILL');
    await own.write('go', '');
    await until('the agent has ended', () => (existsSync(join(own.folder, 'over')) ? true : null));
    process.kill(keeper.pid, 'SIGCONT');
    await command;
    const { exitCode, stdout } = await own.cli(['resume', 'away', '--json']);
    expect(exitCode).toBe(0);
    expect((JSON.parse(stdout) as SweepDocument).cells[0]).toMatchObject({ outcome: 'pass', attempts: 1 });
    expect(linesIn(own, 'away.starts')).toHaveLength(1);
    await own.remove();
  },
);
