import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import {
  canonical,
  isMirror,
  keyFile,
  mirrorFolder,
  publishOnce,
  readText,
  remembered,
  sharedBefore,
  sharedFile,
  stateOfSharedProject,
  writeFileAtomic,
} from '#host';
import { InfrastructureError, parseJson, UsageError, systemFailure } from '#lib';
import { sweepsFolder } from '../results-folder.js';
import { existingStore } from './existing-store.js';
import { KEY, PROJECT } from './names.js';
import type { SharedStore } from './shared-store.js';
import { createFolderStore } from './folder-store.js';

/** Number of simultaneous attempts to create the same object. */
const ATTEMPTS = 8;

/**
 * Checks that a shared place can be reached and written, and that of several attempts to create the same object exactly
 * one succeeds. Without that, a cell could have two results.
 *
 * @throws UsageError that says what is wrong and what to do about it
 */
export async function probeStore(store: SharedStore): Promise<void> {
  const name = `.shared/probe/${randomBytes(8).toString('hex')}`;
  try {
    const attempts = Array.from({ length: ATTEMPTS }, (_, attempt) => `attempt ${attempt}`);
    const created = await Promise.all(attempts.map((text) => store.putOnce(name, text)));
    const again = await store.putOnce(name, 'late');
    const stored = (await store.get(name))?.toString();
    if (created.filter(Boolean).length !== 1 || again || stored !== attempts[created.indexOf(true)])
      throw new UsageError(
        'results_unwritable',
        `${store.location} cannot hold shared results: it lets several writers create the same object; use a server that honours \`If-None-Match: *\`, or a folder on a file system with hard links`,
      );
    await store.remove(name);
  } catch (error) {
    throw explained(error, store.location);
  }
}

/** Returns an error that names a shared place that cannot be used, why, and what to do about it. */
function explained(error: unknown, location: string): Error {
  if (error instanceof UsageError) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const why =
    syscall === 'mkdir' && (code === 'EEXIST' || code === 'ENOTDIR')
      ? 'it is not a folder; choose another place'
      : syscall === 'link' && code !== 'EACCES'
        ? `its file system has no hard links (${code}); choose a folder on another file system`
        : (systemFailure(error) ?? message);
  return new UsageError('results_unwritable', `cannot share results at ${location}: ${why}`);
}

/** True for the location of a bucket, `s3://bucket/prefix`. Any other location is the path of a folder. */
export const isBucket = (location: string): boolean => /^s3:\/\//i.test(location);

/**
 * Opens the shared place at a location: a folder, or a bucket. Does not reach for it yet.
 *
 * @throws UsageError if the location is not one, or the package for buckets is missing in `folder` and here
 */
export async function openSharedStore(location: string, folder = process.cwd()): Promise<SharedStore> {
  if (!isBucket(location)) return createFolderStore(location);
  // Loaded only if needed, because it takes as long as a whole command that reads results.
  const { createS3Store } = await import('./s3/s3-store.js');
  return createS3Store(location, folder);
}

/**
 * Results that several machines share. Each machine has a mirror: an ordinary results folder in its private state,
 * which everything reads and writes. What others must know is published from it, and what others have published is
 * brought into it.
 */
export interface SharedProject {
  id: string;
  /** The folder, or `s3://bucket/prefix`. */
  location: string;
  store: SharedStore;
  /** Private folder of the project on this machine. */
  stateFolder: string;
  /** The mirror. */
  resultsPath: string;
}

/** The version of the layout. Builds with another one do not join the project. */
const PROJECT_VERSION = 2;
const ProjectFile = z.object({
  schema_version: z.literal(PROJECT_VERSION),
  id: z.string().regex(/^[0-9a-f]{12}$/),
  created_at: z.string(),
});
const SharedFile = z.object({ schema_version: z.literal(1), location: z.string() });

/** By private folder. */
const opened = remembered(() => new Map<string, Promise<SharedProject>>());

/** The file that notes that this machine has used a location as a shared place. */
const noteOf = (location: string): string => sharedBefore(isBucket(location) ? location : canonical(location));

/**
 * True if a location that a user gave is a shared place. A folder is one once a worker has joined it, also while it is
 * not mounted.
 */
export const isSharedPlace = (location: string): boolean =>
  isBucket(location) || existsSync(join(location, PROJECT)) || existsSync(noteOf(location));

/**
 * Joins the shared project at a location: prepares its private folder and its mirror on this machine. `create` makes
 * one where there is none, and reports it.
 *
 * @throws UsageError if there is no project, or none can be made there; InfrastructureError if there was one
 */
export async function joinSharedProject(
  location: string,
  { create }: { create?: (message: string) => void } = {},
): Promise<SharedProject> {
  const store = await openSharedStore(location);
  const before = noteOf(store.location);
  const wasShared = existsSync(before);
  if (create !== undefined && !wasShared) await probeStore(store);
  const found = await store.get(PROJECT);
  if (found === null && wasShared)
    throw new InfrastructureError(
      `${store.location} has no ${PROJECT}, but this machine has used shared results there: is it mounted? (to share new results there, remove ${before})`,
    );
  if (found === null && create === undefined)
    throw new UsageError(
      'not_shared',
      `no results are shared at ${store.location}; check the location, or share results there by starting a worker: llm-tool-test worker --address <host:port> --results ${store.location}`,
    );
  if (create !== undefined && wasShared) await probeStore(store);
  if (found === null) {
    if (existsSync(sweepsFolder(location)))
      throw new UsageError(
        'not_shared',
        `${location} contains results of one machine; share another folder, because hosts would not see these`,
      );
    await createProject(store);
    create?.(`no results were shared at ${store.location} yet; they are from now on`);
  }
  const { id } = await readProject(store);
  const stateFolder = stateOfSharedProject(id);
  mkdirSync(mirrorFolder(stateFolder), { recursive: true, mode: 0o700 });
  const settings = `${JSON.stringify({ schema_version: 1, location: store.location })}\n`;
  const file = sharedFile(stateFolder);
  if (!existsSync(file) || readText(file) !== settings) await writeFileAtomic(file, settings, 0o600);
  if (!wasShared) {
    mkdirSync(dirname(before), { recursive: true, mode: 0o700 });
    await writeFileAtomic(before, `${id}\n`, 0o600);
  }
  const project = projectIn(stateFolder, id, store);
  await keepKey(project);
  opened().set(stateFolder, Promise.resolve(project));
  return project;
}

async function createProject(store: SharedStore): Promise<void> {
  // First the key: when others see the project, it must be there.
  await store.putOnce(KEY, randomBytes(32).toString('hex'));
  const project = {
    schema_version: PROJECT_VERSION,
    id: randomBytes(6).toString('hex'),
    created_at: new Date().toISOString(),
  };
  await store.putOnce(PROJECT, `${JSON.stringify(project)}\n`);
}

async function readProject(store: SharedStore): Promise<z.infer<typeof ProjectFile>> {
  const found = parseJson((await store.get(PROJECT))?.toString() ?? '');
  const parsed = ProjectFile.safeParse(found);
  if (parsed.success) return parsed.data;
  const { schema_version: version } = (found ?? {}) as { schema_version?: unknown };
  const problem =
    typeof version === 'number' && version !== PROJECT_VERSION
      ? `has schema_version ${version}, and this build reads ${PROJECT_VERSION}; use the llm-tool-test that shared these results, or share another place`
      : 'is damaged; restore the file';
  throw new UsageError('results_broken', `${store.location}/${PROJECT} ${problem}`);
}

const projectIn = (stateFolder: string, id: string, store: SharedStore): SharedProject => {
  const { location } = store;
  return {
    id,
    location,
    stateFolder,
    resultsPath: mirrorFolder(stateFolder),
    store: isBucket(location) ? store : existingStore(store, id),
  };
};

/** Returns the shared project that a results folder mirrors; null if it is an ordinary one. */
export function sharedProjectOf(resultsPath: string): Promise<SharedProject | null> {
  if (!isMirror(resultsPath)) return Promise.resolve(null);
  const stateFolder = dirname(canonical(resultsPath));
  const known = opened().get(stateFolder);
  if (known !== undefined) return known;
  const open = openMirror(stateFolder);
  opened().set(stateFolder, open);
  open.catch(() => opened().delete(stateFolder));
  return open;
}

/** Returns the shared project of a mirror. @throws Error for an ordinary results folder */
export async function requireSharedProject(resultsPath: string): Promise<SharedProject> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) throw new Error(`${resultsPath} is not a mirror of shared results`);
  return project;
}

async function openMirror(stateFolder: string): Promise<SharedProject> {
  const file = sharedFile(stateFolder);
  const parsed = SharedFile.safeParse(parseJson(readText(file)));
  if (!parsed.success)
    throw new UsageError(
      'results_broken',
      `${file} is damaged; remove it, and name the shared place again with --results`,
    );
  const store = await openSharedStore(parsed.data.location);
  return projectIn(stateFolder, basename(stateFolder), store);
}

/** Keeps a copy of the team's key where the key of an engine would be; see host/security/origin.ts. */
export async function keepKey({ store, stateFolder }: SharedProject): Promise<void> {
  const file = keyFile(stateFolder);
  if (existsSync(file)) return;
  const key = (await store.get(KEY))?.toString().trim();
  if (key === undefined)
    throw new UsageError('results_broken', `${store.location}/${KEY} is missing; restore it from a backup`);
  await publishOnce(file, key, 0o600);
}
