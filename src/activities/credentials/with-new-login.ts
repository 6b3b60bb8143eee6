import { createRedactor } from '#lib';
import type { RunContext } from '../step/run-context.js';
import { loginSecrets } from './login-files.js';

/** Returns the context, with a redactor that also knows the tokens that the agent has received since. */
export async function withNewLogin(context: RunContext): Promise<RunContext> {
  if (context.agent.login === null) return context;
  const found = await loginSecrets(context.environment, context);
  if (found.every((secret) => context.secrets.includes(secret))) return context;
  const secrets = [...new Set([...context.secrets, ...found])];
  return { ...context, secrets, redact: createRedactor({ secrets }) };
}
