import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { findExecutable, isExecutable } from '../../src/platform/process/find-executable.js';
import { cacheHome } from '../../src/platform/folders.js';
import { imageTag } from './compose-file.js';

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
} satisfies Record<string, GoProgram>;
export type Program = keyof typeof PROGRAMS;

/** Says why something cannot be tested here. */
export class NotHere extends Error {}

/** Go's messages without a network. A version that does not exist is an error in the file, and fails the tests. */
const UNREACHABLE = /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/;

/** Time limit of a build; 0: use only cached programs. A first build takes minutes: specs/how-to/production.md. */
const buildSecs = (otherwise: number): number => Number(process.env['PRODUCTION_BUILD_SECS'] ?? otherwise);

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
  const cache = cacheHome();
  const target = join(cache, `${name}-${version()}`);
  if (await isExecutable(target)) return target;
  const go = await findExecutable('go');
  if (go === null) throw new NotHere(`${name} is not in ${cache}, and go is not on PATH to build it`);
  const seconds = buildSecs(secondsToBuild);
  if (seconds === 0) throw new NotHere(`${name} is not in ${cache}, and PRODUCTION_BUILD_SECS=0`);
  report(`building ${name} ${version()} with Go, once ...`);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(`${target}.`);
  try {
    // In a module of our own, because `go install` refuses packages whose module excludes versions.
    for (const args of [
      ['mod', 'init', 'built'],
      ['get', `${path}@v${version()}`],
      ['build', '-o', 'built', path],
    ]) {
      const result = await execa(go, args, {
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
