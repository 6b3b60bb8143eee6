import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { cacheHome, findExecutable, identify, isExecutable, removeTree, waitForLock } from '#host';

/** The newest release that the Go module proxy can build (its go.mod has no `replace`): server 1.29.1, UI 2.42.1. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;
const VERSION_MS = 30_000;
const DOWNLOAD_MS = 10 * 60_000;
const BUILD_MS = 30 * 60_000;

export interface TemporalExecutable {
  path: string;
  /**
   * The server's version by `--version`; part of the database's file name, since a newer server may not open an older
   * file.
   */
  version: string;
}

/** Thrown when no Temporal server can be provided. The message lists the ways to provide one. */
export class TemporalNotFound extends Error {}

/** Omits an undefined signal, which execa rejects. */
const cancelledBy = (signal: AbortSignal | undefined): { cancelSignal?: AbortSignal } =>
  signal === undefined ? {} : { cancelSignal: signal };

/**
 * Returns the version of a Temporal CLI's server; 'unknown' if the output does not contain it.
 *
 * @throws TemporalNotFound if the command fails
 */
export async function temporalVersion(path: string, timeoutMs = VERSION_MS, signal?: AbortSignal): Promise<string> {
  const result = await execa(path, ['--version'], {
    reject: false,
    timeout: timeoutMs,
    ...cancelledBy(signal),
  });
  if (result.failed) throw new TemporalNotFound(`${path} --version failed: ${lastLine(result)}`);
  return /Server ([\w.-]+)/.exec(result.stdout)?.[1] ?? 'unknown';
}

/** Runs the SDK's downloader in a separate process, which can be ended and takes its native code with it. */
async function download(folder: string, signal?: AbortSignal): Promise<string> {
  const script = fileURLToPath(new URL('./download-temporal.js', import.meta.url));
  const { stdout } = await execa(process.execPath, [script, folder, TEMPORAL_CLI_VERSION], {
    timeout: DOWNLOAD_MS,
    ...cancelledBy(signal),
  });
  return stdout.trim();
}

async function buildWithGo(go: string, folder: string, signal?: AbortSignal): Promise<string> {
  await execa(go, ['install', GO_PACKAGE], {
    env: { GOBIN: folder, GOFLAGS: '' },
    timeout: BUILD_MS,
    ...cancelledBy(signal),
  });
  return join(folder, 'temporal');
}

const lastLine = (error: unknown): string => {
  const { stderr, message } = error as { stderr?: string; message: string };
  const text = stderr !== undefined && stderr.trim() !== '' ? stderr : message;
  return (text.trim().split('\n').at(-1) ?? text).slice(0, 300);
};

/** Removes what killed attempts left behind: a build takes half a gigabyte. Only called while holding the lock. */
async function removeDeadAttempts(target: string): Promise<void> {
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(dirname(target))) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (/^\d+$/.test(pid) && identify(Number(pid)) === null) await removeTree(join(dirname(target), name));
  }
}

async function provide(target: string, report: (text: string) => void, signal?: AbortSignal): Promise<void> {
  await removeDeadAttempts(target);
  const attempt = `${target}.${process.pid}`;
  await mkdir(attempt, { recursive: true });
  const failures: string[] = [];
  try {
    const go = findExecutable('go');
    const sources: { doing: string; get: () => Promise<string> }[] = [
      { doing: `downloading Temporal CLI ${TEMPORAL_CLI_VERSION}`, get: () => download(attempt, signal) },
      ...(go === null
        ? []
        : [
            {
              doing: `building Temporal CLI ${TEMPORAL_CLI_VERSION} with Go (once; about 3 minutes on 2 cores)`,
              get: () => buildWithGo(go, attempt, signal),
            },
          ]),
    ];
    for (const { doing, get } of sources) {
      signal?.throwIfAborted();
      report(doing);
      try {
        const path = await get();
        await chmod(path, 0o755);
        await rename(path, target);
        return;
      } catch (error) {
        failures.push(`${doing}: ${lastLine(error)}`);
      }
    }
    if (go === null) failures.push('go is not on PATH, so it cannot be built');
  } finally {
    await rm(attempt, { recursive: true, force: true });
  }
  throw new TemporalNotFound(
    [
      'no Temporal server could be started:',
      ...failures.map((failure) => `  - ${failure}`),
      'Provide one in one of three ways:',
      '  1. a running server: TEMPORAL_ADDRESS=host:port (or --address)',
      '  2. the Temporal CLI: put `temporal` on PATH, or set LLM_TOOL_TEST_TEMPORAL_BIN=/path/to/temporal',
      '  3. automatically: allow downloads from temporal.download, or install Go to build it once',
    ].join('\n'),
  );
}

/** A Temporal CLI that is already installed, and where it was found. */
export interface TemporalPlace {
  from: 'LLM_TOOL_TEST_TEMPORAL_BIN' | 'PATH' | 'cache';
  path: string;
}

const cachedIn = (cache: string): string => join(cache, `temporal-${TEMPORAL_CLI_VERSION}`);

/** Looks for a Temporal CLI without providing one. The one that the user names counts even if it is not executable. */
export function lookForTemporal(cache: () => string): TemporalPlace | null {
  const chosen = process.env['LLM_TOOL_TEST_TEMPORAL_BIN'];
  if (chosen !== undefined && chosen !== '') return { from: 'LLM_TOOL_TEST_TEMPORAL_BIN', path: chosen };
  const installed = findExecutable('temporal');
  if (installed !== null) return { from: 'PATH', path: installed };
  const cached = cachedIn(cache());
  return isExecutable(cached) ? { from: 'cache', path: cached } : null;
}

/**
 * Returns the Temporal CLI: LLM_TOOL_TEST_TEMPORAL_BIN, `temporal` on PATH, our cache, a download into our cache, or a
 * build with Go. Concurrent processes download or build it only once. `report` gets a line for each slow step. The
 * signal ends all of this.
 *
 * @throws TemporalNotFound
 */
export async function findTemporal(report: (text: string) => void, signal?: AbortSignal): Promise<TemporalExecutable> {
  const found = lookForTemporal(cacheHome);
  if (found?.from === 'LLM_TOOL_TEST_TEMPORAL_BIN' && !isExecutable(found.path))
    throw new TemporalNotFound(`LLM_TOOL_TEST_TEMPORAL_BIN=${found.path}: not an executable file`);
  if (found !== null) return { path: found.path, version: await temporalVersion(found.path, VERSION_MS, signal) };

  const cache = cacheHome();
  const cached = cachedIn(cache);
  const lock = await waitForLock(cache, 'temporal', {
    timeoutMs: DOWNLOAD_MS + BUILD_MS,
    onWait: () => report('waiting for another process that provides the Temporal CLI'),
    signal,
  });
  if (lock === null) throw new TemporalNotFound('timed out waiting for another process that provides the Temporal CLI');
  try {
    if (!isExecutable(cached)) await provide(cached, report, signal);
  } finally {
    await lock.release();
  }
  return { path: cached, version: await temporalVersion(cached, VERSION_MS, signal) };
}
