import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.js';
import { loadRun } from '../../src/activities/run/load-run.js';
import { workerEnvironment } from '../../src/host/worker-environment.js';
import { newFolder } from '../host/temporary.js';
import { createAgentRun } from './agent-run.js';
import { inActivity } from './in-activity.js';

test('a run masks the values of earlier steps, too, and forgets them when it is cleaned up', async () => {
  const one = await createAgentRun({ target: { env: { TOKEN: '${TOKEN}' } } });
  const envFile = join(await newFolder(), 'keys.env');
  const deps = { ...one.deps, environment: workerEnvironment({ envFile, base: process.env }) };
  const seen = join(one.root, 'seen-secrets.json');
  const contextWith = async (value: string) => {
    writeFileSync(envFile, `TOKEN=${value}\n`);
    return loadRun(deps, one.run);
  };
  expect((await contextWith('token-of-old-4711')).targetEnv).toEqual({ TOKEN: 'token-of-old-4711' });
  const { targetEnv, redact } = await contextWith('token-of-new-4712');
  expect(targetEnv).toEqual({ TOKEN: 'token-of-new-4712' });
  expect(redact('token-of-old-4711 token-of-new-4712')).not.toMatch(/token-of-(old|new)/);
  expect(statSync(seen).mode & 0o777).toBe(0o600);
  await inActivity('w', () => createActivities(deps).cleanUp(one.run));
  expect(existsSync(seen)).toBe(false);
});

test('while the env file is damaged, a step waits, and its failure quotes no value', async () => {
  const one = await createAgentRun({ target: { env: { TOKEN: '${TOKEN}' } } });
  const envFile = join(await newFolder(), 'keys.env');
  const deps = { ...one.deps, environment: workerEnvironment({ envFile, base: process.env }) };
  writeFileSync(envFile, 'TOKEN="token-of-old-4711\n');
  const failure: unknown = await inActivity('w', () => createActivities(deps).checkGate(one.run, 0)).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ type: 'env_file', nonRetryable: false, nextRetryDelay: 1000 });
  expect(String(failure)).toMatch(/keys\.env:1: the value has no closing " .*|keys\.env:1: the value has no closing/);
  expect(String(failure)).not.toContain('4711');
  expect(readFileSync(envFile, 'utf8')).toContain('4711');
});
