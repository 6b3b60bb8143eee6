import type { Json } from '../lib/json.js';
import type { Call } from './call.js';
import { chanceMessage, chooseMock, type AnswerOptions, type Decision } from './choose-mock.js';
import type { Mock } from './mock.js';
import { isServiceMock } from './mock-kinds.js';
import type { ServiceMock } from './service-mock.js';
import { fillToValue } from './template.js';

/** A call of a service's method. All values are JSON. */
export interface ServiceCall {
  service: string;
  method: string;
  args: readonly Json[];
  context: {
    agentName?: string;
    roomId?: string;
    entityId?: string;
    action?: string;
    turn?: number;
    agent?: string;
    scenario?: string;
  };
}

/** What a mocked method does. A value that is undefined is that of a method that returns nothing. */
export type ServiceResult =
  | { kind: 'returns'; value: Json | undefined }
  | { kind: 'throws'; code: string; message: string; status: number | null };

/**
 * Decides how a call of a service's method is answered. Without an answer, the original method is called. Uses nothing of
 * Node, and evaluates matchers in this process unless `options.evaluate` says otherwise.
 */
export const answerToService = (
  mocks: readonly Mock[],
  { service, method, args, context }: ServiceCall,
  options: AnswerOptions,
): Decision<ServiceResult> => {
  const call: Call = { args, input: args[0] ?? null, context: { ...context } };
  return chooseMock(
    mocks.flatMap((mock, index) =>
      isServiceMock(mock) && mock.service === service && mock.method === method
        ? [{ index, mock, call }]
        : [],
    ),
    options,
    ({ mock }, byChance) => (byChance ? failure(mock) : resultOf(mock, call)),
  );
};

const failure = ({ service, method, metadata: { probability } }: ServiceMock): ServiceResult => ({
  kind: 'throws',
  code: 'FAILED_BY_CHANCE',
  message: `${service}.${method}: ${chanceMessage(probability)}`,
  status: null,
});

function resultOf({ error, response, responseFn }: ServiceMock, call: Call): ServiceResult {
  if (error !== undefined) {
    const { code, message, status = null } = error;
    return { kind: 'throws', code, message: `${code}: ${message}`, status };
  }
  return { kind: 'returns', value: responseFn === undefined ? response : fillToValue(responseFn, call) };
}
