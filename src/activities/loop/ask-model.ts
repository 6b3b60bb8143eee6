import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { isContextFailure, type PromptParts, systemPrompt, toolsOfLoop } from '#agents';
import { fileText } from '#gates';
import { type AgentQuestion, callWithTools, ModelFailed, writeFileAtomic } from '#host';
import { parseModelName } from '#lib';
import { contextTokensOf, createPricer, createUsageMeter, STEPS } from '#model';
import type { LoopStep, RunRef, TurnRef } from '#protocol';
import { loadSkill } from '#scenario';
import { contextMessage, stepOfTurn, turnSecs } from '../agent/turns.js';
import { servingAgent } from '../credentials/resolve-agent.js';
import { loadWithAccess } from '../run/load-run.js';
import type { Deps } from '../step/deps.js';
import { heartbeating } from '../step/heartbeat.js';
import { assertRecordable } from '../step/disk-space.js';
import { runStepOnce } from '../step/run-step-once.js';
import type { LoadedRun, RunIdentity, RunSecrets } from '../run/context.js';
import { canSummarize, SUMMARY_SYSTEM, summaryDue, summaryMessages } from './compaction.js';
import { type Loop, type LoopRequest, readLoop, workedMs } from './conversation.js';
import { eventsOfRequest } from './events.js';
import { connectServers } from './servers.js';
import { showWork } from './show-work.js';

/**
 * Asks the model of the agent `loop` for its next step, or for a summary of a conversation that is too long: request
 * `number` of the agent's `nth` run in a turn.
 */
export const askModel =
  (deps: Deps) =>
  async (run: RunRef, nth: number, turn: TurnRef, number: number): Promise<LoopStep> => {
    const context = await loadWithAccess(deps, run, { turn });
    const step = STEPS.request(STEPS.agent(nth, turn.number), number);
    const { answer, asksAgain } = await runStepOnce<LoopRequest>(context, step, (fence) =>
      heartbeating(async (signal, onProgress) => {
        const loop = await readLoop(context);
        await showWork(context, loop, nth, onProgress);
        const servers = await connectServers(context, fence, signal);
        const system = loop.requests[0]?.result.system ?? systemPrompt(await promptParts(context));
        const request: LoopRequest = { system, sent: 0, answer: null, failure: null, stopped: null };
        const leftMs = turnSecs(context) * 1000 - workedMs(loop.requests, turn.number);
        const stopped = await whyStopped(context, loop, leftMs);
        if (stopped !== null) return { ...request, stopped };
        assertRecordable(context);
        await fence.check();
        const sent = await noteSent(context, step);
        const limit = context.agentSettings?.context_tokens ?? (await contextTokensOf(run.cell.model));
        const most = summaryDue(loop.requests, loop.messages, limit);
        const common = { timeoutMs: leftMs, effort: context.agentSettings?.effort };
        if (most !== null) {
          const messages = summaryMessages(loop.messages, most);
          const question = { system: SUMMARY_SYSTEM, messages, tools: {}, ...common };
          return ask(context, { ...request, sent, summarizes: true }, question, loop, signal);
        }
        const tools = { ...toolsOfLoop, ...Object.fromEntries(servers.tools) };
        const question = { system, messages: loop.messages, tools, ...common };
        return ask(context, { ...request, sent }, question, loop, signal);
      }),
    );
    const calls = answer?.calls.length ?? 0;
    return { calls, isOver: calls === 0 && asksAgain !== true };
  };

const ASKS_AGAIN = { asksAgain: true } as const;

async function ask(
  { plan, run, values, redact }: LoadedRun,
  request: LoopRequest,
  question: AgentQuestion,
  { requests }: Loop,
  signal: AbortSignal,
): Promise<LoopRequest> {
  const provider = servingAgent(plan, run.cell);
  const name = parseModelName(run.cell.model);
  if (provider === null || !name.ok)
    throw ApplicationFailure.nonRetryable(
      `this worker does not know the provider of ${run.cell.model}`,
      'UnknownModel',
    );
  try {
    const model = await provider.connect(name.model, values);
    const answer = await callWithTools(model, question, signal);
    if (request.summarizes !== true) return { ...request, answer };
    return { ...request, answer: { ...answer, calls: [] }, ...(answer.text.trim() === '' ? {} : ASKS_AGAIN) };
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    const { kind, message, status } = error;
    if (kind === 'timeout') return { ...request, stopped: 'deadline' };
    const isTooLong = isContextFailure(message) && canSummarize(requests);
    return { ...request, failure: { kind, message: redact(message), status }, ...(isTooLong ? ASKS_AGAIN : {}) };
  }
}

/** Returns why the model is not asked again; null if it is. */
async function whyStopped(
  context: RunIdentity & RunSecrets,
  { requests }: Loop,
  leftMs: number,
): Promise<LoopRequest['stopped']> {
  if (leftMs <= 0) return 'deadline';
  const inTurn = requests.filter(
    ({ turn, result }) => turn === context.turn.number && result.answer !== null && result.summarizes !== true,
  );
  if (inTurn.length >= (stepOfTurn(context).max_turns ?? Infinity)) return 'max_turns';
  const { max_usd: maxUsd } = context.scenario.cost;
  if (maxUsd === undefined) return null;
  const meter = createUsageMeter(context.run.cell.model, await createPricer(context.plan.prices), context.agent);
  for (const event of requests.flatMap(eventsOfRequest)) meter.add(event);
  const { costUsd, costAtLeastUsd } = meter.read();
  return (costUsd ?? costAtLeastUsd ?? 0) > maxUsd ? 'cost' : null;
}

/**
 * Notes that a request is about to be sent, and returns how often it has been. A request whose answer was lost with a
 * worker was paid for all the same.
 */
async function noteSent({ state }: RunIdentity, step: string): Promise<number> {
  const file = join(state, 'loop', `${step.replaceAll(' ', '-')}.sent`);
  await mkdir(join(state, 'loop'), { recursive: true, mode: 0o700 });
  const before = await readFile(file, 'utf8').catch(() => '0');
  const sent = Number(before) + 1;
  await writeFileAtomic(file, String(sent), 0o600);
  return sent;
}

async function promptParts(context: LoadedRun): Promise<PromptParts> {
  const { environment, handle, subject = [], agent } = context;
  const inWorkspace = await fileText(await environment.lookInside(handle, 'AGENTS.md'));
  const skillFolder = typeof agent.subject === 'string' ? '' : agent.subject.skill(context);
  return {
    workspace: handle.workspace,
    instructions: [
      ...subject.flatMap((part) => (part.kind === 'instructions' ? [part.text] : [])),
      ...(inWorkspace === null ? [] : [inWorkspace]),
    ],
    skills: subject.flatMap((part) => {
      if (part.kind !== 'skill') return [];
      const text = part.files.find(({ path }) => path === 'SKILL.md')?.content ?? '';
      const skill = loadSkill('SKILL.md', text);
      const description = skill.ok ? skill.value.description : '';
      return [{ name: part.name, description, path: join(skillFolder, part.name, 'SKILL.md') }];
    }),
    added: await contextMessage(context),
  };
}
