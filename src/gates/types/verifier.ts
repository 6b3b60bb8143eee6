import { z } from 'zod';
import { environmentVariables, nonBlank, seconds, workspaceFile } from '#input';
import { beginningOf, defined, endOf, isJsonObject, type Json, ownValue, parseJson } from '#lib';
import { decisiveReward } from '#model';
import { commonFields } from '../fields.js';
import { defineGate, type VerifierFiles, type Verdict } from '../gate.js';
import { broken } from '../verdicts.js';

const REWARD = 'reward';
/** The most characters of the output that a verdict keeps. */
const OUTPUT = 4000;

/** Lines of programs that could not download something: apt, curl, wget, pip, uv, npm, git and Python. */
const DOWNLOADS =
  /could not resolve host|temporary failure (in name resolution|resolving)|unable to resolve host|bad address '|failed to fetch|connection timed out|network is unreachable|^curl: \(\d+\)|^wget: |no matching distribution found|error sending request for url|newconnectionerror|\b(EAI_AGAIN|ENOTFOUND|ENETUNREACH|ETIMEDOUT|ECONNREFUSED)\b/i;
const LINE = 200;

/** The first line of tests that says that a download has failed; null if there is none. */
export const failedDownload = (output: string): string | null => {
  const line = output.split('\n').find((one) => DOWNLOADS.test(one.trim()));
  return line === undefined ? null : beginningOf(line.trim(), LINE);
};

/** The rewards by their names, or why there are none. */
type Rewards = { ok: true; rewards: Record<string, number> } | { ok: false; problem: string };

const unreadable = (problem: string): Rewards => ({ ok: false, problem });

/** A number as Python's `float` reads it, if it is finite. */
function numberIn(text: string): number | null {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+)?$/i.test(trimmed)) return null;
  const value = Number(trimmed.replaceAll('_', ''));
  return Number.isFinite(value) ? value : null;
}

function rewardsInJson(text: string): Rewards {
  const value = parseJson(text);
  if (!isJsonObject(value)) return unreadable('reward.json is not a JSON object');
  const rewards: Record<string, number> = {};
  for (const [key, reward] of Object.entries(value)) {
    const number = typeof reward === 'boolean' ? Number(reward) : reward;
    if (typeof number !== 'number' || !Number.isFinite(number))
      return unreadable(`reward.json: ${JSON.stringify(key)} is not a finite number`);
    Object.defineProperty(rewards, key, { value: number, enumerable: true, configurable: true, writable: true });
  }
  return Object.keys(rewards).length === 0 ? unreadable('reward.json has no reward') : { ok: true, rewards };
}

/** The rewards that a verifier left. reward.json counts before reward.txt. */
export function readRewards({ json, text }: Pick<VerifierFiles, 'json' | 'text'>): Rewards {
  const [file, content] = json === null ? ['reward.txt', text] : ['reward.json', json];
  if (content === null) return unreadable('it left neither reward.json nor reward.txt in /logs/verifier');
  if (content === 'unreadable') return unreadable(`${file} cannot be read: no text file of at most 1 MiB`);
  if (content.text.trim() === '') return unreadable(`${file} is empty`);
  if (json !== null) return rewardsInJson(content.text);
  const reward = numberIn(content.text);
  return reward === null
    ? unreadable(`reward.txt has no finite number: ${JSON.stringify(content.text.slice(0, 60))}`)
    : { ok: true, rewards: { [REWARD]: reward } };
}

/** The least rewards that pass: of the decisive one, null if any passes, and by name. */
interface Least {
  pass_reward: number | null;
  min_rewards?: Readonly<Record<string, number>>;
}

/** The reason why rewards are too low; null if they pass. A reward that is missing is too low. */
function lackIn(
  rewards: Readonly<Record<string, number>>,
  { pass_reward: least, min_rewards = {} }: Least,
): string | null {
  if (least !== null && decisiveReward(rewards) < least) return `it passes with at least ${least}`;
  const low = Object.entries(min_rewards).filter(([key, value]) => (ownValue(rewards, key) ?? -Infinity) < value);
  return low.length === 0 ? null : `it passes with at least ${low.map(([key, value]) => `${key} ${value}`).join(', ')}`;
}

const rewardText = (rewards: Readonly<Record<string, number>>): string => {
  const all = Object.entries(rewards).map(([key, value]) => `${key} ${value}`);
  return all.length === 1 ? `reward ${decisiveReward(rewards)}` : all.join(', ');
};

/** The verdict on what a verifier left. Its exit status says nothing: the form leaves it open. */
function verdictOn(
  { timedOut, exitCode, output, processes, ...files }: VerifierFiles,
  { timeout_secs, ...least }: Least & { timeout_secs: number },
): Verdict {
  const failed = failedDownload(output);
  const detail: Json = {
    exit_code: exitCode,
    output: endOf(output, OUTPUT),
    ...defined({ failed_download: failed }),
  };
  if (timedOut) return { ...broken(`the verifier did not end within ${timeout_secs} s`), detail };
  const read = readRewards(files);
  if (!read.ok) return { ...broken(`no reward: ${read.problem}`), detail };
  const { rewards } = read;
  return onRewards(rewards, least, {
    rewards,
    ...detail,
    ...(processes === 0 ? {} : { processes_of_agent: processes }),
  });
}

function onRewards(rewards: Record<string, number>, least: Least, detail: Json): Verdict {
  const lack = lackIn(rewards, least);
  const message = rewardText(rewards);
  return lack === null
    ? { status: 'pass', message, detail }
    : { status: 'fail', message: `${message}; ${lack}`, detail };
}

/** The mean of each reward over the steps that were verified. A reward that a step has not counts as 0. */
export function meanRewards(steps: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const keys = [...new Set(steps.flatMap((rewards) => Object.keys(rewards)))];
  const mean = (key: string): number =>
    steps.reduce((sum, rewards) => sum + (ownValue(rewards, key) ?? 0), 0) / steps.length;
  return Object.fromEntries(keys.map((key) => [key, mean(key)]));
}

const passReward = z
  .number()
  .nullable()
  .default(1)
  .describe('The least reward that passes: of `reward`, or of the least of all without it; null for any');

export const verifier = defineGate({
  schema: z
    .strictObject({
      type: z.literal('verifier'),
      ...commonFields,
      timeout_secs: seconds.default(30).describe('Time limit in seconds; the gate is an `error` if it is exceeded'),
      tests: z
        .array(workspaceFile)
        .min(1)
        .default(['tests'])
        .describe('Folders in the checks folder that are copied to /tests, each over the ones before'),
      script: workspaceFile.default('test.sh').describe('The program in /tests that verifies'),
      env: environmentVariables.default({}).describe('More variables of the program; ${NAME} stands for a variable'),
      user: nonBlank('a user').exactOptional().describe('The user that it runs as; without it, that of the image'),
      pass_reward: passReward,
      min_rewards: z
        .record(z.string(), z.number())
        .exactOptional()
        .describe('The least rewards by name; each must be there'),
      stops: z.literal(true).exactOptional().describe('After a step: later steps are not performed unless it passes'),
    })
    .describe('In a container, a program writes a reward of at least `pass_reward` into /logs/verifier'),
  subject: ({ script }) => `/tests/${script}`,
  check: async (spec, context) => {
    const left = await context.verify(spec);
    if (left !== null && 'lacking' in left) return broken(left.lacking);
    return left === null
      ? broken('verifiers run only in containers: set environment.type to docker')
      : verdictOn(left, spec);
  },
});

export const stepRewards = defineGate({
  schema: z
    .strictObject({
      type: z.literal('step_rewards'),
      ...commonFields,
      of: z
        .enum(['mean', 'last'])
        .default('mean')
        .describe('The mean of the steps, or the last step that was performed'),
      pass_reward: passReward,
    })
    .describe('The rewards of the verifiers after steps are together at least `pass_reward`'),
  subject: ({ of }) => (of === 'mean' ? 'mean of all steps' : 'last step'),
  check: async (spec, context) => {
    const steps = await context.rewards();
    const last = steps.at(-1);
    if (last === undefined) return broken('no step was verified');
    const rewards = spec.of === 'last' ? last : meanRewards(steps);
    return onRewards(rewards, spec, { rewards });
  },
});
