import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { findTemporal } from '../../../src/engine/find-temporal.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { REPOSITORY } from '../../commands/project.js';
import { imageTag } from '../../production/compose-file.js';
import { NotHere, provideProgram, whyNotMade, type Program } from '../../production/executables.js';

type Report = (text: string) => void;

/** The base of the images: Debian, installed by debootstrap. */
const DEBIAN = 'llm-tool-test-debian:bookworm';
const LABEL = 'llm-tool-test.stand-in';
const NPM = '11.6.2';
const DOCKERFILES = fileURLToPath(new URL('images', import.meta.url));

/** An image that is made here if it cannot be pulled. */
interface StandIn {
  image: string;
  dockerfile: string;
  /** A program of the image that is built with Go. */
  program?: Program;
  /** Puts the files that the Dockerfile copies into the context. */
  fill: (context: string, report: Report) => Promise<unknown>;
}

const copyProgram =
  (program: Program, name: string) =>
  async (context: string, report: Report): Promise<void> =>
    copyFile(await provideProgram(program, report, 0), join(context, name));

const copyOwn = (context: string, name: string): Promise<void> =>
  copyFile(join(DOCKERFILES, name), join(context, name));

const standIn = (image: string, dockerfile: string, rest: Pick<StandIn, 'program' | 'fill'>): StandIn => ({
  image: `${image}:${imageTag(image)}`,
  dockerfile,
  ...rest,
});

/** The images that docker-compose.yml and Dockerfile name. */
const standIns = async (): Promise<StandIn[]> => [
  standIn('postgres', 'postgres.Dockerfile', { fill: (context) => copyOwn(context, 'postgres.sh') }),
  standIn('temporalio/server', 'server.Dockerfile', {
    program: 'server',
    fill: copyProgram('server', 'temporal-server'),
  }),
  standIn('temporalio/admin-tools', 'admin-tools.Dockerfile', {
    program: 'sqlTool',
    async fill(context, report) {
      await copyProgram('sqlTool', 'temporal-sql-tool')(context, report);
      await copyFile((await findTemporal(report)).path, join(context, 'temporal'));
    },
  }),
  standIn('temporalio/ui', 'ui.Dockerfile', {
    program: 'ui',
    async fill(context, report) {
      await copyProgram('ui', 'ui-server')(context, report);
      await copyOwn(context, 'ui.template');
    },
  }),
  { image: await nodeImage(), dockerfile: 'node.Dockerfile', fill: fillNode },
];

/** The image that the Dockerfile of the worker is based on. */
async function nodeImage(): Promise<string> {
  const [, image] = /^ARG NODE=(\S+)$/m.exec(await readFile(join(REPOSITORY, 'image/Dockerfile'), 'utf8')) ?? [];
  if (image === undefined) throw new Error('the Dockerfile names no image of Node');
  return image;
}

async function fillNode(context: string): Promise<void> {
  const version = /:(\d+\.\d+\.\d+)/.exec(await nodeImage())?.[1] ?? '';
  const packages = [`node-${process.platform}-${process.arch}@${version}`, `npm@${NPM}`];
  const { stdout } = await execa('npm', ['pack', '--silent', ...packages], { cwd: context });
  const [node = '', npm = ''] = stdout.trim().split('\n');
  await execa('tar', ['xzf', node, '--strip-components=2', 'package/bin/node'], { cwd: context });
  await mkdir(join(context, 'npm'));
  await execa('tar', ['xzf', npm, '--strip-components=1', '--directory', 'npm'], { cwd: context });
  await copyFile('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'));
}

/** Returns why the images cannot be had here; null if they are here, or can be pulled or made. */
export async function whyNoImages(): Promise<string | null> {
  for (const wanted of await standIns()) {
    if (await isFound(wanted)) continue;
    const why = wanted.program === undefined ? null : whyNotMade([wanted.program], 0);
    if (why !== null) return why;
    if (findExecutable('debootstrap') === null) return 'debootstrap is not on PATH to make images';
  }
  return null;
}

/**
 * Makes those images under their names that the daemon lacks and that cannot be pulled, once. A label says what they
 * were made of.
 *
 * @throws NotHere
 */
export async function provideImages(report: Report): Promise<void> {
  for (const wanted of await standIns()) if (!(await isFound(wanted))) await make(wanted, report);
}

/** True if the daemon has the image: the real one, perhaps after pulling it, or one of ours that is up to date. */
async function isFound(wanted: StandIn): Promise<boolean> {
  const label = await labelOf(wanted.image);
  if (label !== null) return label === '' || label === (await hashOf(wanted));
  return (await execa('docker', ['pull', '--quiet', wanted.image], { reject: false })).exitCode === 0;
}

/** The hash of the image's sources; '' if it is not one of ours, null if there is no such image. */
async function labelOf(image: string): Promise<string | null> {
  const format = `{{ index .Config.Labels "${LABEL}" }}`;
  const { exitCode, stdout } = await execa('docker', ['image', 'inspect', '--format', format, image], {
    reject: false,
  });
  return exitCode === 0 ? stdout.trim() : null;
}

async function hashOf({ image, dockerfile }: StandIn): Promise<string> {
  const hash = createHash('sha256').update(image);
  for (const file of [dockerfile, 'postgres.sh', 'ui.template']) hash.update(await readFile(join(DOCKERFILES, file)));
  return hash.digest('hex').slice(0, 12);
}

async function make(wanted: StandIn, report: Report): Promise<void> {
  const { image, dockerfile, fill } = wanted;
  const context = await mkdtemp(join(tmpdir(), 'llm-tool-test-image-'));
  try {
    if ((await labelOf(DEBIAN)) === null) await makeDebian(context, report);
    report(`making the image ${image}, once ...`);
    await fill(context, report);
    // By the host's network, because a daemon without iptables gives containers no way out.
    const args = ['--network', 'host', '--label', `${LABEL}=${await hashOf(wanted)}`, '--tag', image];
    await execa('docker', ['build', ...args, '--file', join(DOCKERFILES, dockerfile), context], {
      env: { DOCKER_BUILDKIT: '0' },
    });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function makeDebian(context: string, report: Report): Promise<void> {
  report(`making the image ${DEBIAN}, once ...`);
  const root = join(context, 'debian');
  try {
    await execa('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root]);
  } catch (error) {
    throw new NotHere(`debootstrap failed: ${(error as Error).message.slice(0, 500)}`);
  }
  await execa('sh', ['-c', 'tar -C "$1" -cf - . | docker import - "$2"', 'sh', root, DEBIAN]);
  await rm(root, { recursive: true, force: true });
}
