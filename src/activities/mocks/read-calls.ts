import { fileText } from '../../gates/gate.js';
import { MockedCall, type MockedCalls } from '../../results/records/mocked-calls.js';
import type { RunContext } from '../step/run-context.js';
import { callsFolder } from './mocked-commands.js';
import { CallRecord } from './mocks-file.js';

/** More would not fit into a report that people can read. */
const MOST_CALLS = 1000;
/** The agent can write to the folder. The program of a mocked command writes less. */
const MOST_BYTES = 1024 * 1024;

/** Reads the calls of mocked commands; null if the scenario mocks none. */
export async function readCalls(
  context: Pick<RunContext, 'environment' | 'handle' | 'scenario' | 'config'>,
): Promise<MockedCalls | null> {
  const { environment, handle, scenario } = context;
  const { mocks = [] } = scenario;
  if (mocks.length === 0) return null;
  const look = (number: number) => environment.look(handle, `${number}.json`, callsFolder(context));
  const calls: CallRecord[] = [];
  let number = 1;
  for (; number <= MOST_CALLS; number += 1) {
    const found = await look(number);
    if (found.kind === 'missing') break;
    if (found.kind === 'file' && found.bytes <= MOST_BYTES) calls.push(...parse(await fileText(found)));
  }
  return {
    by_mock: mocks.map(({ command, when }, index) => ({
      ...{ command, args: when.args ?? when.partialArgs ?? [] },
      calls: calls.flatMap(({ mock, ...call }) => (mock === index ? [MockedCall.parse(call)] : [])),
    })),
    unmatched: calls.flatMap(({ mock, ...call }) => (mock === null ? [call] : [])),
    more: number > MOST_CALLS && (await look(number)).kind !== 'missing',
  };
}

/** A call that was killed while it was recorded left an incomplete file. */
function parse(text: string | null): CallRecord[] {
  try {
    const parsed = CallRecord.safeParse(JSON.parse(text ?? ''));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
