import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { environments } from '#environments';
import { addressVariables, NO_PUBLIC_VALUES, secretsIn, sweepEnvFrom } from '#host';
import { createRedactor } from '#lib';
import { type EndReason, hasProblems, OutputProblems, redactFields, type TokenUsage } from '#model';
import type { Plan } from '#scenario';
import { type AgentRef, resolveAgent, variablesOfAgent } from './credentials/resolve-agent.js';
import { loginSecrets, loginProblem } from './credentials/login-files.js';
import { planQuestion, readStart, startOneShot } from './agent/one-shot-agent.js';
import { type AgentInPlace, pathsIn } from './run/run-paths.js';

const PROMPT = 'Reply with the word ready.';

/** Result of asking an agent a trivial question. Texts are redacted. */
export interface Tried {
  ending: EndReason;
  message: string;
  answer: string;
  model_used: string | null;
  usage: TokenUsage;
  /** US dollars; null if unknown. */
  cost_usd: number | null;
  /** The invalid lines of its output. Absent if there are none, or if the output is in another form than our events. */
  output_problems?: OutputProblems;
}

/** `unfit`: why the agent cannot be started at all. */
export type Trial = { unfit: string } | { unfit: null; tried: Tried };

/**
 * Starts an agent once as a run would, with the user's key or login, in an empty folder that is removed afterwards. The
 * agent ends after `timeoutSecs`, when the signal aborts, and even if this process dies.
 */
export async function tryAgent(
  plan: Pick<Plan, 'agents' | 'providers' | 'prices'>,
  who: AgentRef,
  timeoutSecs: number,
  signal: AbortSignal,
): Promise<Trial> {
  const { base, values } = sweepEnvFrom(process.env, variablesOfAgent(plan, who));
  const resolved = resolveAgent(plan, who, values);
  if (resolved === null) throw new Error(`unknown agent ${who.agent}`);
  if (resolved.agent.isLoop === true) return { unfit: 'it is no program; a run of a scenario tries it' };
  if (resolved.missing.length > 0) return { unfit: `not set: ${resolved.missing.join(', ')}` };
  const notLoggedIn = loginProblem(resolved);
  if (notLoggedIn !== null) return { unfit: notLoggedIn };
  const root = await mkdtemp(join(tmpdir(), 'llm-tool-test-doctor-'));
  const placed: AgentInPlace = {
    ...resolved,
    model: who.model,
    state: root,
    handle: {
      type: 'local',
      root,
      workspace: join(root, 'workspace'),
      journal: join(root, 'agent'),
      mark: basename(root),
      hidden: [],
      project: null,
    },
    ...pathsIn(root, base),
  };
  try {
    return await ask(
      plan,
      placed,
      secretsIn(values, { ...NO_PUBLIC_VALUES, addresses: addressVariables(plan.providers) }),
      timeoutSecs,
      signal,
    );
  } finally {
    await environments.local.dispose(placed.handle);
    await rm(root, { recursive: true, force: true });
  }
}

async function ask(
  plan: Pick<Plan, 'prices'>,
  placed: AgentInPlace,
  secrets: string[],
  timeoutSecs: number,
  signal: AbortSignal,
): Promise<Trial> {
  const environment = environments.local;
  const planned = planQuestion(placed, PROMPT, 1);
  if (planned.program === null) return { unfit: `${placed.agent.program} was not found; install it` };
  await startOneShot(environment, placed, planned, 1, timeoutSecs);
  await environment
    .inspect(placed.handle, 1, signal)
    .catch(() => environment.kill(placed.handle, { start: 1, reason: 'cancel' }));
  const { answer, ending, costUsd, problems } = await readStart({ environment, plan }, placed, 1);
  const redact = createRedactor({ secrets: [...secrets, ...(await loginSecrets(environment, placed))] });
  const { model_used, usage, text } = answer;
  return {
    unfit: null,
    tried: {
      ending: ending.ending,
      message: redact(ending.message),
      answer: redact(text),
      model_used,
      usage,
      cost_usd: costUsd,
      ...(problems === null || !hasProblems(problems)
        ? {}
        : { output_problems: redactFields(problems, OutputProblems, redact) }),
    },
  };
}
