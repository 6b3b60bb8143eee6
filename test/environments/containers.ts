import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoCli } from '../../src/environments/container/why-no-container.js';
import { findExecutable } from '../../src/platform/process/find-executable.js';

/** A tiny image of busybox, which is made here: no registry is asked. */
export const IMAGE = 'llm-tool-test-busybox:1';

const docker = (...args: string[]): string =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Why no test can use a container here; null where they can. */
export async function whyNoContainers(): Promise<string | null> {
  const missing = await whyNoCli('docker');
  if (missing !== null) return `no Docker: ${missing}`;
  const busybox = await findExecutable('busybox');
  if (busybox === null) return 'busybox is not on PATH; install busybox-static';
  return null;
}

/** Makes the image, unless it is there. */
export async function makeImage(): Promise<void> {
  if (spawnSync('docker', ['image', 'inspect', IMAGE]).status === 0) return;
  const root = await mkdtemp(join(tmpdir(), 'llm-tool-test-image-'));
  const bin = join(root, 'bin');
  mkdirSync(bin);
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n');
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
  await copyFile((await findExecutable('busybox')) ?? '', join(bin, 'busybox'));
  const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const applet of applets) if (!existsSync(join(bin, applet))) symlinkSync('busybox', join(bin, applet));
  execFileSync('sh', ['-c', `tar -C '${root}' -c . | docker import - ${IMAGE}`]);
  await rm(root, { recursive: true });
}

/** Names of the containers of runs whose names hold this. */
export const containersOf = (run: string): string[] =>
  docker('ps', '--all', '--filter', `name=llm-tool-test-.*${run}`, '--format', '{{.Names}}')
    .split('\n')
    .filter(Boolean);

/** Processes of a container whose command lines hold this text; none where it does not run. */
export const processesInside = (container: string, text: string): string[] =>
  spawnSync('docker', ['top', container, '-eo', 'pid,args'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(text));

export const imageId = (): string => docker('image', 'inspect', '--format', '{{.Id}}', IMAGE).trim();
