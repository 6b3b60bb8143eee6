import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type Result } from 'execa';
import { anyFreePort } from '../../../src/engine/server.js';
import { provideProgram, whyNotMade } from '../../production/executables.js';
import { whyNoImages } from './images.js';

/** The prefix of the names of our Compose projects. The rest is the pid of the tests. */
const PREFIX = 'llm-tool-test-suite-';

/** A Compose project of its own: no other one on this machine has the same containers, networks, volumes or ports. */
export interface ComposeProject {
  name: string;
  ports: { server: number; ui: number };
  /** For shell commands: `docker compose` then means this project in the current folder. */
  env: Record<string, string>;
  /** Removes containers, networks and volumes. */
  remove(): Promise<void>;
}

/**
 * Prepares a project. A file with the given text is loaded after docker-compose.yml.
 *
 * @throws NotHere if `docker compose` is missing and cannot be built
 */
export async function createComposeProject(override: string, report: (text: string) => void): Promise<ComposeProject> {
  await removeAbandoned();
  const name = `${PREFIX}${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-compose-'));
  await chmod(folder, 0o755);
  const overrideFile = join(folder, 'override.yml');
  await writeFile(overrideFile, override);
  const ports = { server: await anyFreePort(), ui: await anyFreePort() };
  const env = {
    COMPOSE_PROJECT_NAME: name,
    COMPOSE_FILE: `docker-compose.yml:${overrideFile}`,
    TEMPORAL_HOST_PORT: String(ports.server),
    TEMPORAL_UI_HOST_PORT: String(ports.ui),
    ...(await composePlugin(folder, report)),
  };
  const removeNow = (): void => void execFileSync('sh', ['-c', REMOVE, 'sh', name]);
  process.once('exit', removeNow); // vitest can end without hooks
  return {
    name,
    ports,
    env,
    async remove() {
      await removeProject(name);
      process.off('exit', removeNow);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns why Docker Compose cannot be used here; null if it can be, perhaps after programs and images are made. */
export async function whyNoCompose(): Promise<string | null> {
  if (process.platform !== 'linux') return 'these tests are made for Linux';
  if ((await execa('docker', ['ps'], { reject: false })).exitCode !== 0) return 'no Docker daemon answers';
  const missing = (await hasPlugin()) ? null : whyNotMade(['dockerCompose'], 0);
  return missing ?? whyNoImages();
}

const hasPlugin = async (): Promise<boolean> =>
  (await execa('docker', ['compose', 'version'], { reject: false })).exitCode === 0;

/**
 * `docker compose` needs a plugin, which Debian does not have, and this one builds images without the plugin buildx.
 */
async function composePlugin(folder: string, report: (text: string) => void): Promise<Record<string, string>> {
  if (await hasPlugin()) return {};
  const plugins = join(folder, 'cli-plugins');
  await mkdir(plugins);
  // Copied, because another user may not enter the cache.
  await copyFile(await provideProgram('dockerCompose', report, 0), join(plugins, 'docker-compose'));
  return { DOCKER_CONFIG: folder, DOCKER_BUILDKIT: '0' };
}

/** Without `docker compose down`, which needs the file as it was when the containers were created. */
const REMOVE = `
of="label=com.docker.compose.project=$1"
docker ps --all --quiet --filter "$of" | xargs --no-run-if-empty docker rm --force --volumes
docker network ls --quiet --filter "$of" | xargs --no-run-if-empty docker network rm
docker volume ls --quiet --filter "$of" | xargs --no-run-if-empty docker volume rm
`;

const removeProject = (name: string): Promise<Result> => execa('sh', ['-ec', REMOVE, 'sh', name]);

/** Removes what tests that were killed have left. */
async function removeAbandoned(): Promise<void> {
  const format = '{{ .Label "com.docker.compose.project" }}';
  const filter = ['--filter', 'label=com.docker.compose.project', '--format', format];
  const containers = await execa('docker', ['ps', '--all', ...filter]);
  const volumes = await execa('docker', ['volume', 'ls', ...filter]);
  const names = new Set([...containers.stdout.split('\n'), ...volumes.stdout.split('\n')]);
  for (const name of names)
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length)))) await removeProject(name);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
