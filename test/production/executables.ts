import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { findExecutable, isExecutable } from '../../src/platform/process/find-executable.js';
import { cacheHome } from '../../src/platform/folders.js';
import { imageTag } from './compose-file.js';

/** A program that is made from a Go module and kept in the cache folder as `<name>-<version>`. */
interface GoProgram {
  name: string;
  package: string;
  /** As `go install` names it: the last part of the package's path. */
  built: string;
  version: () => string;
}

const PROGRAMS = {
  // The loader of `docker compose`: reads, checks and resolves Compose files, without an engine.
  compose: {
    name: 'compose-loader',
    package: 'github.com/compose-spec/compose-go/v2/cmd',
    built: 'cmd',
    version: () => '2.16.2',
  },
  // The very programs of the images that the file names, of the same versions.
  server: {
    name: 'temporal-server',
    package: 'go.temporal.io/server/cmd/server',
    built: 'server',
    version: () => imageTag('temporalio/server'),
  },
  sqlTool: {
    name: 'temporal-sql-tool',
    package: 'go.temporal.io/server/cmd/tools/sql',
    built: 'sql',
    version: () => imageTag('temporalio/admin-tools'),
  },
} satisfies Record<string, GoProgram>;
export type Program = keyof typeof PROGRAMS;

/** The reason why something cannot be tested here. */
export class NotHere extends Error {}

/** What Go says where there is no network; a version that does not exist is a mistake of the file, and fails. */
const UNREACHABLE = /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/;

/** So long a build may take; 0: use only what is cached. A cold one takes minutes, see specs/how-to/production.md. */
const buildSecs = (): number => Number(process.env['PRODUCTION_BUILD_SECS'] ?? 30 * 60);

/** The path of a program: from the cache folder, else built with Go and left there. @throws NotHere */
export async function provideProgram(which: Program, report: (text: string) => void): Promise<string> {
  const { name, built, package: path, version } = PROGRAMS[which];
  const cache = cacheHome();
  const target = join(cache, `${name}-${version()}`);
  if (await isExecutable(target)) return target;
  const go = await findExecutable('go');
  if (go === null) throw new NotHere(`${name} is not in ${cache}, and go is not on PATH to build it`);
  const seconds = buildSecs();
  if (seconds === 0) throw new NotHere(`${name} is not in ${cache}, and PRODUCTION_BUILD_SECS=0`);
  report(`building ${name} ${version()} with Go, once ...`);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(`${target}.`);
  try {
    const result = await execa(go, ['install', `${path}@v${version()}`], {
      env: { GOBIN: folder, GOFLAGS: '' },
      timeout: seconds * 1000,
      reject: false,
    });
    if (result.timedOut) throw new NotHere(`the build of ${name} took longer than ${seconds} s`);
    if (UNREACHABLE.test(result.stderr)) throw new NotHere(`the Go module of ${name} cannot be fetched`);
    if (result.failed) throw new Error(`cannot build ${name}: ${result.stderr}`);
    await rename(join(folder, built), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}
