import type { Sandbox } from 'e2b';
import { remembered, RUN_MARK } from '#host';
import type { EnvironmentHandle } from '../environment.js';
import type { CloudSandbox } from '../machine/settings.js';
import { type E2b, type E2bOptions, explained, loadE2b } from './service.js';
import { readRecord, removeRecord, writeRecord } from '../machine/machine-record.js';
import { readAccess } from './sandbox-state.js';

/** Key of the metadata of all our sandboxes; its value is the sandbox's name. */
const LABEL = 'llm-tool-test';
const REQUEST_MS = 15_000;
/** Making a sandbox may take longer than other requests. */
const CREATE_MS = 120_000;

/** A sandbox that this process has connected to. */
export interface Connected {
  e2b: E2b;
  sandbox: Sandbox;
  /** When its life was extended. */
  extendedAt: number;
}

/** By name. */
const connections = remembered(() => new Map<string, Promise<Connected | null>>());

export const forget = ({ name }: CloudSandbox): void => void connections().delete(name);

/** Returns a connection to the run's sandbox; null if the sandbox does not exist. */
export async function connectSandbox(handle: EnvironmentHandle): Promise<Connected | null> {
  const cloud = cloudOf(handle);
  const connecting = connections().get(cloud.name) ?? newConnection(handle, cloud);
  connections().set(cloud.name, connecting);
  try {
    const connected = await connecting;
    if (connected === null) forget(cloud);
    else await extend(cloud, connected);
    return connected;
  } catch (error) {
    forget(cloud);
    throw error;
  }
}

async function newConnection(handle: EnvironmentHandle, cloud: CloudSandbox): Promise<Connected | null> {
  const access = await readAccess(cloud);
  if (access === null) return null;
  const e2b = await loadE2b(cloud.module);
  const connectTo = async (id: string): Promise<Connected | null> => {
    try {
      const timeoutMs = cloud.timeoutSecs * 1000;
      const sandbox = await e2b.Sandbox.connect(id, { ...access, timeoutMs, requestTimeoutMs: REQUEST_MS });
      return { e2b, sandbox, extendedAt: Date.now() };
    } catch (error) {
      if (error instanceof e2b.SandboxNotFoundError) return null;
      throw explained(e2b, `connect to the sandbox ${id} of E2B`, error);
    }
  };
  const record = await readRecord(handle);
  const known = record === null ? null : await connectTo(record.id);
  if (known !== null) return known;
  for (const id of await listIds(e2b, access, cloud)) {
    const found = await connectTo(id);
    if (found === null) continue;
    await writeRecord(handle, { ...record, id });
    return found;
  }
  return null;
}

/** Extends the sandbox's life, unless that was done a short time ago. */
async function extend({ timeoutSecs }: CloudSandbox, connected: Connected): Promise<void> {
  const timeoutMs = timeoutSecs * 1000;
  if (Date.now() - connected.extendedAt < timeoutMs / 4) return;
  connected.extendedAt = Date.now();
  // Beyond the service's own limit this fails, and the sandbox is still alive.
  await connected.sandbox.setTimeout(timeoutMs, { requestTimeoutMs: REQUEST_MS }).catch(() => undefined);
}

/** Extends the sandbox's life while `work` runs. */
export async function whileExtending<T>(cloud: CloudSandbox, connected: Connected, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void extend(cloud, connected), (cloud.timeoutSecs * 1000) / 4);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Creates the run's sandbox and records its id. It ends by itself if nobody extends its life.
 * @throws what `confirm` throws, after the sandbox was removed again
 */
export async function createSandbox(handle: EnvironmentHandle, confirm: () => Promise<void>): Promise<void> {
  const cloud = cloudOf(handle);
  const access = await readAccess(cloud);
  if (access === null) throw new Error(`${cloud.access} is gone: nothing says how to reach E2B`);
  const e2b = await loadE2b(cloud.module);
  const sandbox = await e2b.Sandbox.create(cloud.template, {
    ...access,
    timeoutMs: cloud.timeoutSecs * 1000,
    requestTimeoutMs: CREATE_MS,
    metadata: { [LABEL]: cloud.name },
    envs: { [RUN_MARK]: handle.mark },
  }).catch((error: unknown) => {
    throw explained(e2b, `create a sandbox of E2B from the template ${cloud.template}`, error);
  });
  try {
    await confirm();
  } catch (error) {
    await sandbox.kill();
    throw error;
  }
  await writeRecord(handle, { id: sandbox.sandboxId });
  connections().set(cloud.name, Promise.resolve({ e2b, sandbox, extendedAt: Date.now() }));
}

/** Ends all sandboxes of the run. @throws Error that names those that are left */
export async function removeSandboxes(handle: EnvironmentHandle): Promise<void> {
  const cloud = cloudOf(handle);
  forget(cloud);
  const record = await readRecord(handle);
  const access = await readAccess(cloud);
  // Nothing was ever made, or all was removed.
  if (access === null && record === null) return;
  const what = `end the sandbox ${record?.id ?? `with the metadata ${LABEL}=${cloud.name}`} of E2B`;
  if (access === null) throw new Error(`cannot ${what}: ${cloud.access} is gone`);
  const e2b = await loadE2b(cloud.module);
  if (record !== null) await killSandbox(e2b, access, record.id);
  const others = await listIds(e2b, access, cloud).catch((error: unknown) => {
    // The one that is known is gone.
    throw explained(e2b, record === null ? what : `look for other sandboxes of ${cloud.name} of E2B`, error);
  });
  for (const id of others) if (id !== record?.id) await killSandbox(e2b, access, id);
  await removeRecord(handle);
}

async function killSandbox(e2b: E2b, access: E2bOptions, id: string): Promise<void> {
  try {
    await e2b.Sandbox.kill(id, { ...access, requestTimeoutMs: REQUEST_MS });
  } catch (error) {
    throw explained(e2b, `end the sandbox ${id} of E2B`, error);
  }
}

/** Ids of the run's sandboxes, those that were started last first. */
async function listIds(e2b: E2b, access: E2bOptions, { name }: CloudSandbox): Promise<string[]> {
  const options = { ...access, requestTimeoutMs: REQUEST_MS };
  const pages = e2b.Sandbox.list({ ...options, query: { metadata: { [LABEL]: name } } });
  const found: { id: string; at: number }[] = [];
  while (pages.hasNext)
    for (const { sandboxId, startedAt, metadata } of await pages.nextItems())
      // A server that does not know the filter would list all sandboxes of the account.
      if (metadata[LABEL] === name) found.push({ id: sandboxId, at: startedAt.getTime() });
  return found.sort((a, b) => b.at - a.at).map(({ id }) => id);
}

/** @throws Error if the environment has no sandbox */
export function cloudOf({ sandbox }: EnvironmentHandle): CloudSandbox {
  if (sandbox === undefined) throw new Error('the environment has no sandbox of E2B');
  return sandbox;
}
