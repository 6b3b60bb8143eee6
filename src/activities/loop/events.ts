import { commandOf, errorEvent, NO_ANSWER } from '#agents';
import { assertNever } from '#lib';
import { type EventBody, NO_USAGE } from '#model';
import type { RunRef } from '#protocol';
import type { PlacedRequest } from './conversation.js';

/** The event with which a run of the agent begins. */
export const sessionOf = (run: RunRef, requests: readonly PlacedRequest[]): EventBody => ({
  type: 'session',
  session_id: run.run,
  model_requested: run.cell.model,
  model_used: requests.find(({ result }) => result.answer !== null)?.result.answer?.modelUsed ?? null,
});

const ENDINGS = { deadline: 'timeout', cost: 'max_cost', max_turns: 'max_turns' } as const;

const SUMMARIZED = 'The conversation had become too long. The agent goes on with this summary of it:';

/** The events of a request and of the calls that the model asked for in it, in order. */
export function eventsOfRequest({ result, results }: PlacedRequest): EventBody[] {
  const { answer, failure, stopped, sent, summarizes, asksAgain } = result;
  const answered = answer !== null || failure !== null ? 1 : 0;
  const lost: EventBody[] = Array.from({ length: sent - answered }, () => [
    { type: 'unknown' as const, kind: 'a request to the model whose answer was lost' },
    // It was paid for all the same.
    { type: 'usage' as const, ...NO_USAGE, cost_usd: null },
  ]).flat();
  if (failure !== null && asksAgain === true)
    return [...lost, { type: 'unknown', kind: 'a request that was too long for the model' }];
  if (failure !== null) return [...lost, errorEvent(failure.message, failure.status, failure.kind !== 'refused')];
  // Nothing was on its way, so that all usage is known.
  if (stopped !== null && sent === 0) return [{ type: 'result', ending: ENDINGS[stopped], exit_code: null }];
  if (answer === null) return lost;
  const { calls, reasoning, text, usage } = answer;
  if (summarizes === true)
    return [
      ...lost,
      { type: 'usage', ...usage, cost_usd: null },
      ...(asksAgain === true
        ? [{ type: 'message' as const, role: 'system' as const, text: `${SUMMARIZED}\n\n${text}` }]
        : [errorEvent(NO_ANSWER, null, true)]),
    ];
  return [
    ...lost,
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ type: 'message' as const, role: 'assistant' as const, text }]),
    { type: 'usage', ...usage, cost_usd: null },
    ...calls.map(({ id, name, input, problem }): EventBody => ({
      type: 'tool_call',
      id,
      name,
      input,
      command: commandOf(name, input),
      ...(problem === null ? {} : { executed: false }),
    })),
    ...calls.flatMap(({ id, problem }, at): EventBody[] => {
      const called = results[at]?.result;
      if (called === undefined) return [];
      const { output, exitCode, isError, truncated } = called;
      const executed = problem === null ? {} : { executed: false as const };
      return [{ type: 'tool_result', id, exit_code: exitCode, is_error: isError, output, truncated, ...executed }];
    }),
    ...(calls.length > 0 ? [] : endOf(answer.finishReason, text)),
  ];
}

/** Returns how the agent has ended, with an answer that asks for no call. */
function endOf(finishReason: string, text: string): EventBody[] {
  const reason = finishReason as 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  switch (reason) {
    case 'stop':
      return text.trim() === ''
        ? [errorEvent(NO_ANSWER, null, true)]
        : [{ type: 'result', ending: 'done', exit_code: 0 }];
    case 'length':
      return [errorEvent('its last answer reached the output token maximum of the model', null, false)];
    case 'content-filter':
      return [errorEvent('the answer was withheld (stop_reason: refusal)', null, false)];
    case 'tool-calls':
    case 'error':
    case 'other':
      return [errorEvent(`malformed response: its finish reason is ${finishReason}`, null, true)];
    default:
      return assertNever(reason);
  }
}
