import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { lastUsedFile, readEngineState } from '../../src/engine/engine-state.js';
import { findTemporal } from '../../src/engine/find-temporal.js';
import { anyFreePort } from '../../src/engine/server.js';
import { signalProcess } from '../../src/host/process/process-identity.js';
import { createProject, until, type TestProject } from '../commands/project.js';
import { allGone, processesWith } from '../host/processes.js';
import { kill, partOf, preferPort, stateOf, type Part } from '../commands/engine-parts.js';

/** Writes a Temporal CLI that runs a command before it starts a server; returns the variable that selects it. */
async function temporalAfter(project: TestProject, doing: string): Promise<Record<string, string>> {
  const { path } = await findTemporal(() => undefined);
  await project.write('temporal', `#!/bin/sh\nif [ "$1" = server ]; then ${doing}; fi\nexec '${path}' "$@"\n`, 0o755);
  return { LLM_TOOL_TEST_TEMPORAL_BIN: join(project.folder, 'temporal') };
}

/** Kills the keeper after it has started the first process of a part, just before it records it. */
const killAtRecord = (project: TestProject, part: Part): string => `
  const fs = require('node:fs');
  const { writeFileSync } = fs;
  fs.writeFileSync = (file, data, ...more) => {
    if (String(data).includes('"${part}": {') && !fs.existsSync('${project.folder}/killed')) {
      writeFileSync('${project.folder}/killed', '');
      process.kill(process.pid, 'SIGKILL');
    }
    return writeFileSync(file, data, ...more);
  };
  require('node:module').syncBuiltinESMExports();`;

/** When a command last asked for the engine. */
const usedAt = (project: TestProject): number => statSync(lastUsedFile(stateOf(project))).mtimeMs;

describe.concurrent('an engine that starts', () => {
  test.for<Part>(['server', 'worker'])(
    'has exactly one %s even if the keeper is killed between its start and its record; stop ends it without a keeper too',
    async (part, { onTestFinished }) => {
      const project = await createProject({}, { ownServer: true });
      onTestFinished(() => project.remove());
      await project.write('kill.cjs', killAtRecord(project, part));
      const env = { NODE_OPTIONS: `--require ${join(project.folder, 'kill.cjs')}` };
      expect((await project.cli(['engine', 'start'], env)).exitCode).toBe(0);
      expect(existsSync(join(project.folder, 'killed'))).toBe(true);
      const servers = `${project.state}/`;
      const workers = `worker.js\0--results\0${project.results}`;
      expect(processesWith(servers)).toEqual([(await partOf(project, 'server'))?.pid]);
      expect(processesWith(workers)).toEqual([(await partOf(project, 'worker'))?.pid]);

      await kill(project, 'keeper');
      const { exitCode, stderr } = await project.cli(['engine', 'stop']);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('the engine has stopped')]);
      expect(await Promise.all([allGone(servers), allGone(workers)])).toEqual([true, true]);
    },
  );

  test('on a given server stops the local server that a killed keeper left running', async ({ onTestFinished }) => {
    const project = await createProject({}, { ownServer: true });
    onTestFinished(() => project.remove());
    expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
    await kill(project, 'keeper');
    const address = ['--address', inject('temporalAddress')];
    expect((await project.cli(['engine', 'start', ...address])).exitCode).toBe(0);
    expect(processesWith(`${project.state}/`)).toEqual([]);
    expect(processesWith(`worker.js\0--results\0${project.results}`)).toEqual([(await partOf(project, 'worker'))?.pid]);
  });

  test('is not ready while its worker is dead', async ({ onTestFinished }) => {
    const project = await createProject({}, { ownEngine: true });
    onTestFinished(() => project.remove());
    expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
    const keeper = await until('a keeper', () => partOf(project, 'keeper'));
    // A keeper that notices the death late, as on a busy machine.
    signalProcess(keeper, 'SIGSTOP');
    await kill(project, 'worker');
    const uses = new Set([usedAt(project)]);
    const command = project.start(['engine', 'start', '--json']);
    const ended = command.then(() => true as const);
    const askedAgain = until('the command asks twice', () => (uses.add(usedAt(project)).size > 2 ? true : null));
    await Promise.race([ended, askedAgain]);
    signalProcess(keeper, 'SIGCONT');
    const { exitCode, stdout } = await command;
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { worker: { state: 'running' } }]);
  });

  test('chooses its ports only after another starting engine has got its own', async ({ onTestFinished }) => {
    const projects = [
      await createProject({}, { ownServer: true }),
      await createProject({}, { ownServer: true }),
    ] as const;
    onTestFinished(async () => {
      for (const project of projects) await project.remove();
    });
    const [first, second] = projects;
    const port = await anyFreePort();
    for (const project of projects) await preferPort(project, port);

    const cache = { LLM_TOOL_TEST_CACHE: join(first.folder, 'cache') };
    const held = `touch ${first.folder}/begun; until [ -e ${first.folder}/go ]; do sleep 0.05; done`;
    const slow = first.start(['engine', 'start'], { ...cache, ...(await temporalAfter(first, held)) });
    await until('its server begins', () => (existsSync(join(first.folder, 'begun')) ? true : null));
    const quick = second.start(['engine', 'start'], { ...cache, ...(await temporalAfter(second, ':')) });
    await until('the second one waits for the first', async () =>
      /waiting for another engine/.test((await readEngineState(stateOf(second)))?.message ?? '') ? true : null,
    );
    await first.write('go', '');
    expect([(await slow).exitCode, (await quick).exitCode]).toEqual([0, 0]);
    const [one, other] = await Promise.all(projects.map((project) => readEngineState(stateOf(project))));
    expect(one?.address).not.toBe(other?.address);
  });
});
