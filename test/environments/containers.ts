import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Container } from '../../src/environments/machine/settings.js';
import { cliProblem } from '../../src/environments/container/container-cli.js';
import { findExecutable } from '../../src/host/process/find-deno.js';

/** A tiny image of busybox, created locally without a registry. */
export const IMAGE = 'llm-tool-test-busybox:1';
/** The same image with a default user that is not root and has no name. */
export const USER_IMAGE = 'llm-tool-test-busybox-user:1';
/** An image whose only program is `sh`: a static busybox, which contains all other programs. */
export const SHELL_IMAGE = 'llm-tool-test-busybox-shell:1';
/** Like `IMAGE`, with perl. */
export const PERL_IMAGE = 'llm-tool-test-busybox-perl:1';

/** Debian with nothing but its packages that are always there, as the image bookworm-slim. */
export const DEBIAN_IMAGE = 'llm-tool-test-debian:1';

type Cli = Container['command'];

/** Returns why tests cannot use a container of Debian, which debootstrap makes once; null if they can. */
export async function whyNoDebian(cli: Cli = 'docker'): Promise<string | null> {
  const missing = await cliProblem(cli);
  if (missing !== null) return `${cli} cannot be used: ${missing}`;
  if (spawnSync(cli, ['image', 'inspect', DEBIAN_IMAGE]).status === 0) return null;
  if (findExecutable('debootstrap') === null) return 'debootstrap is not on PATH; install it';
  const root = await mkdtemp(join(tmpdir(), 'llm-tool-test-debian-'));
  try {
    const args = ['--variant=minbase', '--include=ca-certificates', 'bookworm', join(root, 'debian')];
    const { status, stderr } = spawnSync('debootstrap', args, { encoding: 'utf8' });
    if (status !== 0) return `debootstrap cannot make Debian here: ${stderr.trim()}`;
    execFileSync('sh', ['-c', `tar -C '${root}/debian' -c . | ${cli} import - ${DEBIAN_IMAGE}`]);
    return null;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const ask = (cli: Cli, ...args: string[]): string =>
  execFileSync(cli, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Returns why tests cannot use containers here; null if they can. */
export async function whyNoContainers(cli: Cli = 'docker', image = IMAGE): Promise<string | null> {
  const missing = await cliProblem(cli);
  if (missing !== null) return `${cli} cannot be used: ${missing}`;
  const busybox = findExecutable('busybox');
  if (busybox === null) return 'busybox is not on PATH; install busybox-static';
  await makeImage(cli, image);
  const { status, stderr } = spawnSync(cli, ['run', '--rm', image, 'sh', '-c', 'true'], { encoding: 'utf8' });
  return status === 0 ? null : `${cli} cannot run a container here: ${stderr.trim()}`;
}

/** Creates the image unless it exists. */
async function makeImage(cli: Cli, image: string): Promise<void> {
  if (spawnSync(cli, ['image', 'inspect', image]).status === 0) return;
  const root = await mkdtemp(join(tmpdir(), 'llm-tool-test-image-'));
  chmodSync(root, 0o755); // becomes / of the image, which other users need too
  const bin = join(root, 'bin');
  mkdirSync(bin);
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n');
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777); // whatever the umask
  const isShell = image === SHELL_IMAGE;
  await copyFile(findExecutable('busybox') ?? '', join(bin, isShell ? 'sh' : 'busybox'));
  const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const applet of isShell ? [] : applets)
    if (!existsSync(join(bin, applet))) symlinkSync('busybox', join(bin, applet));
  if (image === PERL_IMAGE) copyPerl(root);
  const user = image === USER_IMAGE ? `--change 'USER 1000'` : '';
  execFileSync('sh', ['-c', `tar -C '${root}' -c . | ${cli} import ${user} - ${image}`]);
  await rm(root, { recursive: true });
}

/** Copies perl of this machine, with what it loads. */
function copyPerl(root: string): void {
  const perl = execFileSync('which', ['perl'], { encoding: 'utf8' }).trim();
  const base = execFileSync('perl', ['-MPOSIX', '-e', 'print $INC{"POSIX.pm"}'], { encoding: 'utf8' });
  const libraries = execFileSync('ldd', [perl], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const path of [perl, dirname(base), ...libraries]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(path, join(root, path), { recursive: true, dereference: true });
  }
}

/** The names of the containers of runs with this text in their names. */
export const containersOf = (run: string, cli: Cli = 'docker'): string[] =>
  ask(cli, 'ps', '--all', '--filter', `name=llm-tool-test-.*${run}`, '--format', '{{.Names}}')
    .split('\n')
    .filter(Boolean);

/** The processes of a container with this text in their command lines; none if it is not running. */
export const processesInside = (container: string, text: string, cli: Cli = 'docker'): string[] =>
  spawnSync(cli, ['top', container, ...(cli === 'docker' ? ['-eo', 'pid,args'] : ['hpid', 'args'])], {
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .filter((line) => line.includes(text));

export const imageId = (cli: Cli = 'docker', image = IMAGE): string =>
  ask(cli, 'image', 'inspect', '--format', '{{.Id}}', image).trim();
