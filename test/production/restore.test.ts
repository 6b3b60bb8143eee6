import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { CLI, createProject, EMPTY_FIXTURE, scenario, until } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import { commandsOf } from '../long/production/guide.js';
import { loadCompose } from './compose-file.js';
import { postgresPrograms } from './postgres.js';
import { startStack, type Stack } from './stack.js';
import { startProcess, type Started } from './started.js';

const loader = inject('composeLoader');
const programs = inject('serverPrograms');
const missing = loader.missing ?? programs.missing;
const why = missing === null ? '' : ` (skipped: ${missing})`;

describe.skipIf(missing !== null)(`a backup by specs/how-to/production.md${why}`, () => {
  test('brings results, a schedule and an open sweep to a machine that has nothing', async () => {
    if (loader.missing !== null || programs.missing !== null) return;
    const model = await loadCompose(loader.found);
    const folder = await newFolder();
    const results = join(folder, 'results');
    const project = await createProject(
      {
        ...EMPTY_FIXTURE,
        'fixtures/quick.yaml': scenario('quick', { steps: ['say: x'] }),
        'fixtures/held.yaml': scenario('held', {
          gates: ['{type: file_exists, path: out.txt}'],
          steps: [`run: 'until [ -e ${folder}/go ]; do sleep 0.2; done; echo done >out.txt'`],
        }),
      },
      { ownServer: true },
    );
    const started: Started[] = [];
    const stacks: Stack[] = [];
    onTestFinished(async () => {
      for (const one of started) await one.end('SIGTERM');
      for (const stack of stacks) await stack.stop();
      await project.remove();
    });
    const newStack = async (): Promise<Stack> => {
      const stack = await startStack(model, programs.found);
      stacks.push(stack);
      return stack;
    };
    // A lost host is noticed soon.
    const short = { LLM_TOOL_TEST_LOST_SECS: '10' };
    const startWorker = (name: string, { address }: Stack): Started => {
      const command = [CLI, 'worker', '--results', results, '--address', address, '--slots', '2', '--name', name];
      const env = { ...process.env, ...short, LLM_TOOL_TEST_HOME: join(folder, name) };
      const worker = startProcess([process.execPath, ...command], {
        env,
        cwd: folder,
        log: join(folder, `${name}.log`),
      });
      started.push(worker);
      return worker;
    };
    const cli = async (stack: Stack, ...args: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await project.cli([...args, '--results', results], {
        ...short,
        TEMPORAL_ADDRESS: stack.address,
      });
      expect(exitCode, stderr).toBe(0);
      return stdout;
    };
    const shown = async (stack: Stack, sweep: string): Promise<SweepDocument> =>
      JSON.parse(await cli(stack, 'show', sweep, '--json')) as SweepDocument;
    /** Runs commands of the guide without containers. */
    const follow = (section: string, { postgres }: Stack): Promise<unknown> =>
      execa(
        'sh',
        [
          '-euc',
          commandsOf(section)
            .replace(/^docker compose (up|build|exec cli llm).*$/gm, ':')
            .replaceAll(/docker compose (exec|run)( --[\w-]+)* (postgresql|cli) /g, '')
            .replaceAll('/results', results),
        ],
        {
          cwd: folder,
          env: {
            PATH: `${postgresPrograms()}:${process.env['PATH'] ?? ''}`,
            PGHOST: '127.0.0.1',
            PGPORT: String(postgres.port),
            PGPASSWORD: model.services.postgresql.environment['POSTGRES_PASSWORD'] ?? '',
          },
        },
      );

    const before = await newStack();
    await before.job('schema');
    await before.startServer();
    await before.job('namespace');
    await mkdir(results);
    const worker = startWorker('old', before);
    await worker.until('a host', async () =>
      (await project.cli(['workers', '--results', results])).stdout.includes('old'),
    );
    const quick = JSON.parse(await cli(before, 'run', 'quick', '--json')) as SweepDocument;
    await cli(before, 'schedule', 'create', 'nightly', '--every', '1w', 'quick');
    const open = JSON.parse(await cli(before, 'run', 'held', '--detach', '--json')) as SweepDocument;
    await worker.until('a run', async () =>
      /old .* 1\/2/.test((await project.cli(['workers', '--results', results])).stdout),
    );
    await follow('Back up', before);
    await worker.end('SIGKILL');
    await before.stop();
    stacks.pop();
    await rm(results, { recursive: true });
    await mkdir(results);

    const after = await newStack();
    await follow('Restore', after);
    await after.job('schema');
    await after.startServer();
    await after.job('namespace');
    startWorker('new', after);
    await writeFile(join(folder, 'go'), '');
    expect((await shown(after, quick.sweep)).totals).toMatchObject({ cells: 1, passed: 1 });
    // The backup has just been made, so for a moment the new server takes the old one for a part of its cluster.
    const listed = await until('the schedules are listed', async () => {
      const { exitCode, stdout } = await project.cli(['schedule', 'list', '--results', results], {
        TEMPORAL_ADDRESS: after.address,
      });
      return exitCode === 0 ? stdout : null;
    });
    expect(listed).toMatch(/nightly/);
    const done = await until(
      'the open sweep has ended',
      async () => {
        const now = await shown(after, open.sweep);
        return now.status === 'completed' ? now : null;
      },
      180_000,
    );
    expect(done.totals).toMatchObject({ cells: 1, passed: 1 });
    await cli(after, 'schedule', 'trigger', 'nightly', '--wait');
  }, 600_000);
});
