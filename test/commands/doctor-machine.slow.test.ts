import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { node, platform } from '../../src/commands/doctor/machine.js';
import { projectState } from '../../src/host/folders.js';
import { ownIdentity } from '../../src/host/process/process-identity.js';
import { createDoctorProject, doctor, type Found } from './doctor-project.js';
import type { TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createDoctorProject();
});
afterAll(() => project.remove());

test('doctor says why agents cannot be sandboxed, as information and not as a problem', async () => {
  await project.write('broken/bwrap', '#!/bin/sh\necho "bwrap: No permissions" >&2; exit 1\n', 0o755);
  const { found } = await doctor(project, { PATH: `${project.folder}/broken:${process.env['PATH'] ?? ''}` });
  expect(found.get('bubblewrap')).toMatchObject({
    status: 'info',
    message: expect.stringMatching(
      /^agents are not sandboxed: bwrap cannot create its namespaces here \(bwrap: No permissions\); allow/,
    ) as string,
    detail: { usable: false },
  });
});

describe('containers', () => {
  /** The finding with only these fake programs, and Node, on PATH. */
  const containersWith = async (name: string, programs: Record<string, string>): Promise<Found | undefined> => {
    await mkdir(join(project.folder, name));
    await symlink(process.execPath, join(project.folder, name, 'node'));
    for (const [program, script] of Object.entries(programs))
      await project.write(`${name}/${program}`, `#!/bin/sh\n${script}\n`, 0o755);
    const { found } = await doctor(project, { PATH: join(project.folder, name) });
    return found.get('containers');
  };
  const DOWN = 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?';

  test('are not available without docker and podman, which is information and not a problem', async () => {
    expect(await containersWith('no-clis', {})).toEqual({
      name: 'containers',
      status: 'info',
      remedy: null,
      detail: { usable: [] },
      message: 'no containers: docker is not on PATH; podman is not on PATH',
    });
  });

  test('are not available if the daemon is down, for the reason that docker gives', async () => {
    expect(await containersWith('down', { docker: `echo "${DOWN}" >&2; exit 1` })).toMatchObject({
      status: 'info',
      detail: { usable: [] },
      message: `no containers: docker: ${DOWN}; podman is not on PATH`,
    });
  });

  test('are available with podman alone if the daemon of docker is down', async () => {
    const programs = { docker: `echo "${DOWN}" >&2; exit 1`, podman: '[ "$*" = "ps --quiet" ]' };
    expect(await containersWith('podman-alone', programs)).toMatchObject({
      status: 'ok',
      detail: { usable: ['podman'] },
      message: 'containers are available with podman (environment.type: docker)',
    });
  });
});

test('a state folder that other users can enter is a warning, with the command to fix it', async () => {
  const open = join(project.folder, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  const { found } = await doctor(project, { LLM_TOOL_TEST_HOME: open });
  expect(found.get('state')).toMatchObject({ status: 'warning', remedy: `chmod 700 ${open}` });
});

test('a Temporal server that answers is reported as ok', async () => {
  const { found } = await doctor(project, { TEMPORAL_ADDRESS: inject('temporalAddress') });
  expect(found.get('temporal')).toMatchObject({
    status: 'ok',
    message: `${inject('temporalAddress')}, namespace default: responds`,
  });
});

test('the engine is shown with its live processes only', async () => {
  const { folder } = projectState(project.results, project.state);
  const alive = ownIdentity();
  const state = {
    phase: 'ready',
    message: '',
    since: 0,
    build: 'another',
    external: false,
    address: '127.0.0.1:7233',
    keeper: alive,
    server: { ...alive, start: 'before' },
    worker: null,
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'engine.json'), JSON.stringify(state));
  const { found } = await doctor(project);
  await rm(folder, { recursive: true });
  expect(found.get('engine')).toMatchObject({
    status: 'ok',
    message: `ready at 127.0.0.1:7233 (keeper ${alive.pid}); from another build, which the next command replaces`,
    detail: { pids: [alive.pid] },
  });
});

test.each([
  ['20.18.3', 'problem'],
  ['18.20.0', 'problem'],
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
])('Node %s is reported as %s', (version, status) => {
  expect(node(version).status).toBe(status);
});

test('musl and Windows are problems; macOS is not', () => {
  expect(platform('linux', null)).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('musl') as string,
  });
  expect(platform('win32', null)).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('WSL') as string,
  });
  expect(platform('darwin', null).status).toBe('ok');
  expect(platform('linux', '2.36').status).toBe('ok');
});
