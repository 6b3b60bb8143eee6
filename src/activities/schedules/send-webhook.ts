import { ApplicationFailure } from '@temporalio/common';
import type { Firing } from '#decide';
import type { FiringRef } from '#protocol';
import { objectsOf, readFiring, writeFiring } from '#store';
import { EnvFileProblem, workerEnvironment } from '#host';
import type { StoredSchedule } from '#scenario';
import type { Deps } from '../step/deps.js';
import { ownAttempt } from '../step/retry-policy.js';
import { refusal, verifySchedule } from '../origin/verify-firing.js';

/**
 * Returns the variables of a schedule as they are now: those of its file, which may have changed, and of the worker. A
 * text says why a file cannot be read.
 */
export function variablesNow(
  { environment = () => process.env }: Pick<Deps, 'environment'>,
  { env_file: file }: Pick<StoredSchedule, 'env_file'>,
): NodeJS.Dict<string> | string {
  try {
    const base = environment();
    return file === null ? base : workerEnvironment({ envFile: file, base })();
  } catch (error) {
    if (!(error instanceof EnvFileProblem)) throw error;
    return `${file === null ? 'the worker' : `--env-file ${file}`}: ${error.message}`;
  }
}

const ANSWER_MS = 20_000;
/** Over about 10 minutes. */
const MAX_ATTEMPTS = 8;

/**
 * Sends the record of a firing to the webhook of its schedule, and notes whether that succeeded. The address may be a
 * secret, so no message contains it.
 */
export const sendWebhook =
  (deps: Deps) =>
  async ({ firing: id, ...ref }: FiringRef & { firing: string }): Promise<void> => {
    const objects = await objectsOf(deps.resultsPath);
    const { stored } = await verifySchedule(deps, objects, ref);
    const firing = await readFiring(objects, ref.schedule, id);
    if (firing?.workflow !== ref.execution || stored.webhook === null)
      throw refusal(ref.schedule, 'it has no record of this firing');
    if (firing.webhook !== null) return;
    const values = variablesNow(deps, stored);
    const url = typeof values === 'string' ? undefined : values[stored.webhook];
    const sent = isWebAddress(url)
      ? await post(url, firing)
      : ({ problem: `${stored.webhook} is not set to an http(s) address`, mayPass: false } as const);
    if (sent !== 'sent' && sent.mayPass && ownAttempt() < MAX_ATTEMPTS)
      throw ApplicationFailure.retryable(`the webhook could not be sent: ${sent.problem}`, 'Webhook');
    await writeFiring(objects, { ...firing, webhook: sent === 'sent' ? sent : sent.problem });
  };

const isWebAddress = (text: string | undefined): text is string =>
  text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text);

type Sent = 'sent' | { problem: string; mayPass: boolean };

/** Sends a record to an address. Its errors do not contain the address, which may be a secret. */
export async function post(url: string, firing: Firing): Promise<Sent> {
  try {
    const { address, authorization } = withoutCredentials(url);
    const { ok, status } = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(firing),
      // A redirect could lead the record to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (ok) return 'sent';
    return { problem: `HTTP ${status}`, mayPass: status === 408 || status === 429 || status >= 500 };
  } catch (error) {
    return { problem: reasonOf(error as Error), mayPass: true };
  }
}

/** `fetch` refuses an address with a name and a password; other clients send them as a header. */
function withoutCredentials(url: string): { address: URL; authorization: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  [address.username, address.password] = ['', ''];
  if (username === '' && password === '') return { address, authorization: {} };
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address, authorization: { authorization: `Basic ${Buffer.from(both).toString('base64')}` } };
}

/** The reason without the address, which Node's messages may contain. */
function reasonOf({ name, cause }: Error): string {
  if (name === 'TimeoutError') return 'no answer in time';
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : 'no connection';
}
