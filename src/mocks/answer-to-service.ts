import { contains, type Json } from '#lib';
import type { Call } from './call.js';
import { chooseMock, type AnswerOptions, type MockChoice } from './choose-mock.js';
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
    /** ISO 8601. */
    timestamp?: string;
  };
}

/** The result of a mocked method. A value that is undefined is that of a method that returns nothing. */
export type ServiceResult =
  | { kind: 'returns'; value: Json | undefined }
  | { kind: 'throws'; code: string; message: string; status: number | null };

/**
 * Decides how a call of a service's method is answered. Without an answer, the original method is called. Uses nothing
 * of Node, and evaluates matchers in this process unless `options.evaluate` says otherwise.
 */
export const answerToService = (
  mocks: readonly Mock[],
  { service, method, args, context }: ServiceCall,
  options: AnswerOptions,
): MockChoice<ServiceResult> => {
  const call: Call = {
    args,
    input: inputOf(args),
    context: { ...context, argsCount: args.length, hasObjectArgs: args.some(isObject) },
  };
  return chooseMock(
    mocks.flatMap((mock, index) =>
      isServiceMock(mock) && mock.service === service && mock.method === method ? [{ index, mock, call }] : [],
    ),
    { ...options, matchesPartialArgs: beginsWith },
    ({ mock }, byChance) => (byChance ? FAILURE : resultOf(mock, call)),
  );
};

/** The words are those of the ElizaOS scenario runner: the agent may repeat them, and evaluations look for them. */
const FAILURE: ServiceResult = {
  kind: 'throws',
  code: 'FAILED_BY_CHANCE',
  message: 'Random mock failure',
  status: null,
};

const isObject = (value: Json): value is Json[] | { [key: string]: Json } =>
  typeof value === 'object' && value !== null;

/**
 * The keys of all maps and lists among the arguments, and texts and numbers as `arg0`, `arg1`, .... The last of a name
 * counts.
 */
const inputOf = (args: readonly Json[]): Json =>
  Object.fromEntries(
    args.flatMap((arg, index): [string, Json][] =>
      isObject(arg)
        ? Object.entries(arg)
        : typeof arg === 'string' || typeof arg === 'number'
          ? [[`arg${index}`, arg]]
          : [],
    ),
  );

const beginsWith = (given: readonly Json[], wanted: readonly Json[]): boolean =>
  wanted.every((part, index) => contains(given[index], part));

function resultOf({ error, response, responseFn }: ServiceMock, call: Call): ServiceResult {
  if (error !== undefined) {
    const { code, message, status = null } = error;
    return { kind: 'throws', code, message: `${code}: ${message}`, status };
  }
  return { kind: 'returns', value: responseFn === undefined ? response : fillToValue(responseFn, call) };
}
