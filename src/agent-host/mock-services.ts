import { setTimeout as sleep } from 'node:timers/promises';
import { defined, ownValue, suggest } from '#lib';
import {
  answerToService,
  chanceOf,
  evaluateMatcher,
  isServiceMock,
  recordCall,
  recordedArgs,
  recordedDecision,
  type ServiceCall,
  type ServiceMock,
  type ServiceResult,
} from '#mocks';
import type { HostRequest } from './hosted.js';
import { CannotSetUp, jsonOf } from './events.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Where a call is made, as far as the agent knows. */
export type CallPlace = Partial<Pick<ServiceCall['context'], 'agentName' | 'roomId' | 'entityId'>> & {
  action: string | null;
};

/**
 * Replaces the methods that the scenario mocks, in the objects themselves: however the agent got hold of a service, it
 * calls the mock. Returns a function that restores them.
 * @throws CannotSetUp for a service or method that does not exist
 */
export function mockServices(
  request: HostRequest,
  services: Readonly<Record<string, object | object[]>>,
  placeOf: () => CallPlace,
): () => void {
  const mocks = request.mocks.filter(isServiceMock);
  const methods = new Map(mocks.map((mock) => [`${mock.service}.${mock.method}`, mock]));
  const restore: (() => void)[] = [];
  for (const mock of methods.values())
    for (const instance of instancesOf(services, mock)) {
      const original = methodOf(instance, mock);
      restore.push(replaceMethod(instance, mock, mockedMethod(request, mock, original, placeOf)));
    }
  return () => {
    for (const one of restore) one();
  };
}

function instancesOf(services: Readonly<Record<string, object | object[]>>, { service }: ServiceMock): object[] {
  const found = ownValue(services, service);
  const instances = found === undefined ? [] : Array.isArray(found) ? (found as object[]) : [found];
  if (instances.length > 0) return instances;
  const known = Object.keys(services);
  throw new CannotSetUp(
    `setup.mocks: the agent has no service '${service}'${hint(service, known)} Its services: ${known.join(', ') || 'none'}`,
  );
}

function methodOf(instance: object, { service, method }: ServiceMock): Method {
  const found: unknown = (instance as Record<string, unknown>)[method];
  if (typeof found === 'function') return found as Method;
  const known = methodNames(instance);
  throw new CannotSetUp(
    `setup.mocks: the service ${service} has no method '${method}'${hint(method, known)} Its methods: ${known.join(', ') || 'none'}`,
  );
}

const hint = (word: string, known: string[]): string => {
  const near = suggest(word, known);
  return near === null ? '.' : `; did you mean '${near}'?`;
};

function methodNames(instance: object): string[] {
  const names = new Set<string>();
  for (let at = instance; at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name);
    if (Object.getPrototypeOf(at) === null) break;
  }
  return [...names];
}

/** Returns a function that puts the original back. */
function replaceMethod(instance: object, { service, method }: ServiceMock, mocked: Method): () => void {
  const own = Object.getOwnPropertyDescriptor(instance, method);
  try {
    Object.defineProperty(instance, method, {
      value: mocked,
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? false,
    });
  } catch {
    throw new CannotSetUp(`setup.mocks: ${service}.${method} cannot be mocked: its object is frozen`);
  }
  return () => {
    if (own === undefined) Reflect.deleteProperty(instance, method);
    else Object.defineProperty(instance, method, own);
  };
}

function mockedMethod(
  request: HostRequest,
  { service, method }: ServiceMock,
  original: Method,
  placeOf: () => CallPlace,
): Method {
  const { calls, seed, agent, scenario, turn, mocks } = request;
  const isAsync = original.constructor.name === 'AsyncFunction';
  return function (this: unknown, ...args) {
    const { action, ...place } = placeOf();
    const call: ServiceCall = {
      service,
      method,
      args: args.map(jsonOf),
      context: {
        ...place,
        ...defined({ action }),
        turn,
        agent,
        scenario,
        timestamp: new Date().toISOString(),
      },
    };
    const { answer } = recordCall(calls, 1, (number) => {
      const decision = answerToService(mocks, call, {
        random: chanceOf(seed, number),
        evaluate: evaluateMatcher,
      });
      const record = {
        ...recordedDecision(decision),
        command: `${service}.${method}`,
        args: recordedArgs(call.args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)))),
        step: 'agent',
        exit_code: null,
      };
      return { record, answer: decision.answer };
    });
    if (answer === null) return original.apply(this, args);
    const { result, delayMs } = answer;
    // A method that is not async may have callers that do not wait.
    return isAsync || delayMs > 0 ? sleep(delayMs).then(() => give(result)) : give(result);
  };
}

function give(result: ServiceResult): unknown {
  if (result.kind === 'returns') return structuredClone(result.value);
  const { code, message, status } = result;
  throw Object.assign(new Error(message), { code }, status === null ? {} : { status });
}
