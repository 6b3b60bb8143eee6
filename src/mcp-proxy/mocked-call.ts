import { recordCall, recordedArgs, recordedDecision } from '../activities/mocks/record-call.js';
import type { Json } from '../lib/json.js';
import { answerToTool, failedResult } from '../mocks/answer-to-tool.js';
import { chanceOf } from '../mocks/chance.js';
import { isMcpMock } from '../mocks/mock-kinds.js';
import type { MockedAnswer } from './exchange.js';
import type { ProxyFile } from './proxy-file.js';

/**
 * The mocked answer to a call, which is recorded among the calls of mocks; null if the server answers. Without a server
 * (`isWhole`), a call that no mock matches fails.
 */
export function mockedCall(
  { mocks, server, seed, agent, scenario, step, calls }: ProxyFile,
  isWhole: boolean,
  tool: string,
  input: Json,
): MockedAnswer | null {
  if (!mocks.some((mock) => isMcpMock(mock) && mock.mcp === server)) return null;
  const call = { server, tool, input, context: { step, agent, scenario } };
  const decide = (number: number) => answerToTool(mocks, call, { random: chanceOf(seed, number) });
  // Whether a mock matches does not depend on chance.
  if (!isWhole && decide(1).answer === null) return null;
  const { answer } = recordCall(calls, 1, (number) => {
    const decision = decide(number);
    const args = recordedArgs([JSON.stringify(input)]);
    const command = `${server}.${tool}`;
    const record = { ...recordedDecision(decision), command, args, step, exit_code: null };
    return { answer: decision.answer, record };
  });
  return answer === null
    ? { delayMs: 0, result: failedResult(`no mock of ${server}.${tool} matches this call`) }
    : { delayMs: answer.delayMs, result: answer.result };
}
