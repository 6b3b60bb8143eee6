import { findExecutable } from '#host';
import type { Container } from '../environment.js';
import { reasonIn } from '../machine/machine.js';
import { askCli } from './container-cli.js';

/** PATH of images that set none. */
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const LOOK_MS = 20_000;

/** Container settings of a scenario. */
export interface WantedContainer {
  image: string;
  command: Container['command'];
}

/** An image that is on this machine. */
export interface FoundImage {
  id: string;
  /** PATH in its containers. */
  path: string;
}

/** Checks that the command line, its daemon and the image are available. Downloads nothing. */
export async function findImage({
  image,
  command,
}: WantedContainer): Promise<{ found: FoundImage } | { found: null; why: string }> {
  if ((await findExecutable(command)) === null)
    return { found: null, why: `${command} is not on PATH; install it (apt install ${packageOf[command]})` };
  const { exitCode, stdout, stderr } = await askCli(
    command,
    ['image', 'inspect', '--format', '{{.Id}} {{json .Config.Env}}', image],
    { timeoutMs: LOOK_MS },
  );
  if (exitCode === 0) {
    const [, id = '', json = 'null'] = /^(\S+) (.*)/.exec(stdout.toString()) ?? [];
    const variables = (JSON.parse(json) as string[] | null) ?? [];
    const path = variables.find((variable) => variable.startsWith('PATH='))?.slice('PATH='.length);
    return { found: { id, path: path ?? USUAL_PATH } };
  }
  return /no such image|image not known|failed to find image/i.test(stderr)
    ? {
        found: null,
        why: `the image ${image} is not on this machine; get it with ${command} pull ${image}, or build it`,
      }
    : { found: null, why: `${command} does not work here: ${reasonIn(stderr)}` };
}

const packageOf: Record<Container['command'], string> = { docker: 'docker.io', podman: 'podman' };

/** Why `docker` or `podman` cannot be used on this machine; null if it can. */
export async function whyNoCli(command: Container['command']): Promise<string | null> {
  if ((await findExecutable(command)) === null) return `${command} is not on PATH`;
  const { exitCode, stderr } = await askCli(command, ['ps', '--quiet'], { timeoutMs: LOOK_MS });
  return exitCode === 0 ? null : reasonIn(stderr);
}
