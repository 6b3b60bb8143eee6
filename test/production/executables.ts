import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { findExecutable, isExecutable } from '../../src/host/process/find-deno.js';
import { cacheHome } from '../../src/host/folders.js';
import { imageTag, LOGIN_FILE } from './compose-file.js';

/** A program that is built from a Go module and kept in the cache folder as `<name>-<version>`. */
interface GoProgram {
  name: string;
  package: string;
  version: () => string;
}

const PROGRAMS = {
  // The loader of `docker compose`: reads, checks and resolves Compose files, without an engine.
  compose: {
    name: 'compose-loader',
    package: 'github.com/compose-spec/compose-go/v2/cmd',
    version: () => '2.16.2',
  },
  // `docker compose` itself, for test/long/production. A newer one refuses the API of Debian's daemon.
  dockerCompose: {
    name: 'docker-compose',
    package: 'github.com/docker/compose/v2/cmd',
    version: () => '2.40.3',
  },
  // The same programs in the same versions as in the images that the file names.
  server: {
    name: 'temporal-server',
    package: 'go.temporal.io/server/cmd/server',
    version: () => imageTag('temporalio/server'),
  },
  sqlTool: {
    name: 'temporal-sql-tool',
    package: 'go.temporal.io/server/cmd/tools/sql',
    version: () => imageTag('temporalio/admin-tools'),
  },
  ui: {
    name: 'temporal-ui-server',
    package: 'github.com/temporalio/ui-server/v2/cmd/server',
    version: () => imageTag('temporalio/ui'),
  },
  oauth2Proxy: {
    name: 'oauth2-proxy',
    package: 'github.com/oauth2-proxy/oauth2-proxy/v7',
    version: () => /oauth2-proxy:v(\S+)/.exec(readFileSync(LOGIN_FILE, 'utf8'))?.[1] ?? '',
  },
} satisfies Record<string, GoProgram>;
export type Program = keyof typeof PROGRAMS;

/** Says why something cannot be tested here. */
export class NotHere extends Error {}

/** Go's messages without a network. A version that does not exist is an error in the file, and fails the tests. */
const UNREACHABLE = /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/;

/** Time limit of a build; 0: use only cached programs. A first build takes minutes: specs/how-to/production.md. */
const buildSecs = (otherwise: number): number => Number(process.env['PRODUCTION_BUILD_SECS'] ?? otherwise);

const pathOf = (which: Program): string => join(cacheHome(), `${PROGRAMS[which].name}-${PROGRAMS[which].version()}`);

/** Returns why some of the programs are missing and cannot be built here; null if none is, or they can be built. */
export function whyNotMade(programs: readonly Program[], secondsToBuild = 30 * 60): string | null {
  for (const which of programs) {
    if (isExecutable(pathOf(which))) continue;
    const missing = `${PROGRAMS[which].name} is not in ${cacheHome()}`;
    if (findExecutable('go') === null) return `${missing}, and go is not on PATH to build it`;
    if (buildSecs(secondsToBuild) === 0) return `${missing}; PRODUCTION_BUILD_SECS=1800 builds it with Go, once`;
  }
  return null;
}

/**
 * The path of a program in the cache folder, built with Go if it is missing.
 *
 * @throws NotHere
 */
export async function provideProgram(
  which: Program,
  report: (text: string) => void,
  secondsToBuild = 30 * 60,
): Promise<string> {
  const { name, package: path, version } = PROGRAMS[which];
  const target = pathOf(which);
  if (isExecutable(target)) return target;
  const why = whyNotMade([which], secondsToBuild);
  if (why !== null) throw new NotHere(why);
  const seconds = buildSecs(secondsToBuild);
  report(`building ${name} ${version()} with Go, once ...`);
  await mkdir(cacheHome(), { recursive: true });
  const folder = await mkdtemp(`${target}.`);
  try {
    // In a module of our own, because `go install` refuses packages whose module excludes versions.
    for (const args of [
      ['mod', 'init', 'built'],
      ['get', `${path}@v${version()}`],
      ['build', '-o', 'built', path],
    ]) {
      const result = await execa('go', args, {
        cwd: folder,
        env: { GOFLAGS: '' },
        timeout: seconds * 1000,
        reject: false,
      });
      if (result.timedOut) throw new NotHere(`the build of ${name} took longer than ${seconds} s`);
      if (UNREACHABLE.test(result.stderr)) throw new NotHere(`the Go module of ${name} cannot be fetched`);
      if (result.failed) throw new Error(`cannot build ${name}: ${result.stderr}`);
    }
    await rename(join(folder, 'built'), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}
