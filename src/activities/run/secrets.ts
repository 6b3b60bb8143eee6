import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { environmentAddresses } from '#environments';
import { addressVariables, type PublicValues, readTextIfThere, remembered, secretsIn, writeFileAtomic } from '#host';
import { createLruCache, createRedactor, parseJson } from '#lib';
import { publicNames } from '#scenario';
import { fixtureFolder } from '#store';
import { loginSecrets } from '../credentials/login-files.js';
import type { Deps } from '../step/deps.js';
import type { Variables } from './values-of-run.js';
import type { RunIdentity, RunPlaces, RunSecrets } from './context.js';

/** Most runs of a sweep have the same secrets, and creating a redactor takes long. */
const redactors = remembered(() => createLruCache<(text: string) => string>(8));

/** Most runs of a sweep share these names, and a large sweep has thousands of them. */
const names = remembered(() => createLruCache<ReturnType<typeof publicNames>>(8));

export async function loadSecrets(
  { resultsPath }: Deps,
  identity: RunIdentity,
  { env, agent: { agent }, targetEnv, onServers }: Variables,
  places: RunPlaces,
): Promise<RunSecrets> {
  const { plan, planHash, scenarioHash, state } = identity;
  const { environment, judgeAgent } = places;
  const known: PublicValues = {
    names: await names()(`${planHash} ${scenarioHash}`, () => publicNames(plan, [identity])),
    addresses: new Set([...addressVariables(plan.providers), ...environmentAddresses]),
    fixtures: [fixtureFolder(resultsPath, identity.fixture)],
  };
  const ofValues = secretsIn(env.values, known);
  const secrets = [
    // Values passed by a command are remembered by it; those of the worker may be others in each step.
    ...(env.isPassed ? [...ofValues, ...(env.replaced ?? [])] : await seenSecrets(state, ofValues)),
    ...onServers.secrets,
    ...(await loginSecrets(environment, { ...places, agent, state })),
    ...(judgeAgent === null ? [] : await loginSecrets(environment, judgeAgent)),
  ];
  const redact = await redactors()(JSON.stringify(secrets), () => createRedactor({ secrets }));
  return { agent, targetEnv, onServers, values: env.values, secrets, redact };
}

const secretsFile = (state: string): string => join(state, 'seen-secrets.json');

/**
 * Returns the secrets that steps of a run have been given so far, and remembers these ones: a key can be replaced while
 * the run goes on, and its agent may have shown the old one. `state`: the run's private folder.
 */
async function seenSecrets(state: string, secrets: readonly string[]): Promise<string[]> {
  const text = await readTextIfThere(secretsFile(state));
  const seen = z.array(z.string()).safeParse(parseJson(text ?? '')).data ?? [];
  const all = [...new Set([...seen, ...secrets])];
  if (all.length > seen.length) await writeFileAtomic(secretsFile(state), JSON.stringify(all), 0o600);
  return all;
}

/** Removes them, once nothing of the run is written any more. */
export const forgetSecrets = (state: string): Promise<void> => rm(secretsFile(state), { force: true });

/** Returns the context, with a redactor that also knows the tokens that the agent has received since. */
export async function withNewLogin<
  C extends Pick<RunIdentity, 'state'> & Pick<RunPlaces, 'environment' | 'handle' | 'home' | 'config'> & RunSecrets,
>(context: C): Promise<C> {
  if (context.agent.login === null) return context;
  const found = await loginSecrets(context.environment, context);
  if (found.every((secret) => context.secrets.includes(secret))) return context;
  const secrets = [...new Set([...context.secrets, ...found])];
  return { ...context, secrets, redact: createRedactor({ secrets }) };
}
