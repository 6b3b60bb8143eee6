import { randomUUID } from 'node:crypto';
import { isMap, messageOf } from '#lib';
import type { AgentEvent } from '#model';
import { CannotSetUp, emit, emitCall, emitResult } from './events.js';
import { fillVariables, type Loaded, loadModule } from './load-module.js';
import { mockServices } from './mock-services.js';
import { connectModel, emitModelError } from './model.js';
import type { PerformTurn, Turn, TurnFailure } from './turn-state.js';

/* The exports of a module that is an agent (specs/reference/agents.md). */

/** Services by name. Methods that a scenario mocks are replaced in these objects. */
export type Services = Record<string, object>;

export interface TurnOfHistory {
  role: 'user' | 'assistant';
  text: string;
}

/** Performs an action and records it. Returns what it returns, or throws what it throws. */
export type PerformAction = <T>(name: string, input: unknown, perform: () => T | Promise<T>) => Promise<T>;

/**
 * Records an event of the agent, in the form of what agents with `output = "jsonl"` print: tokens and cost, calls of
 * tools with their results, reasoning, messages before the last one, errors, and in `session` the model that answers.
 */
type ReportEvent = (event: AgentEvent) => void;

/** The model of the cell, for agents that ask it by themselves. */
interface ModelForModule {
  provider: string;
  model: string;
  /** Null if the provider needs none. */
  key: string | null;
  /** Null for the provider's default address. */
  baseUrl: string | null;
}

interface AgentContext {
  services: Services;
  /** Asks the model of the cell; null if that is `default`. */
  model: ((prompt: string, options?: { system?: string }) => Promise<string>) | null;
  /** The same with its key and address; null if that is `default`. */
  access: ModelForModule | null;
  /** The conversation before this turn. */
  history: readonly TurnOfHistory[];
  /** The `state` that the turn before returned; null at first. */
  state: unknown;
  /** The character of the scenario; null if it has none. */
  character: unknown;
  /** Text that precedes the conversation; null for none. */
  system: string | null;
}

export interface Reply {
  text: string;
  thought?: string;
  /** Names of actions that were performed without `act`. */
  actions?: string[];
  /** JSON that is kept for the next turn. */
  state?: unknown;
}

export interface ModuleAgent {
  respond(input: string, turn: { act: PerformAction; report: ReportEvent }): Promise<string | Reply> | string | Reply;
}

export type CreateAgent = (context: AgentContext) => ModuleAgent | Promise<ModuleAgent>;

/** The state of a module agent between turns. */
interface ModuleState {
  history: TurnOfHistory[];
  state: unknown;
}

/** Creates the agent of a module and gives it the input. */
export const performTurn: PerformTurn = async (turn) => {
  const { request } = turn;
  const loaded = await loadModule(request.folder, request.module ?? '');
  const { history, state } = (turn.before ?? { history: [], state: null }) as ModuleState;
  const last: { failure: TurnFailure | null } = { failure: null };
  const ask = request.model === null ? null : connectModel(request.model, turn.key, characterOf(turn) ?? {});
  const createAgent = exportedBy(loaded, 'createAgent');
  if (typeof createAgent !== 'function')
    throw new CannotSetUp(`${request.module} does not export a function createAgent`);
  const services = await servicesOf(loaded);
  const restore = mockServices(request, services, () => ({ action: runningAction() }));
  const agent = await (createAgent as CreateAgent)({
    services,
    model:
      ask === null
        ? null
        : async (prompt, { system } = {}) => {
            try {
              const answer = await ask({ prompt, system });
              last.failure = null;
              return answer;
            } catch (error) {
              last.failure = emitModelError('model', error);
              throw error;
            }
          },
    access: accessOf(turn),
    history,
    state,
    character: characterOf(turn),
    system: request.system,
  });
  if (!isAgent(agent)) throw new CannotSetUp(`createAgent of ${request.module} returned no object with respond()`);
  const report: ReportEvent = (event) => {
    if (!isMap(event)) throw new Error('report() takes an event');
    // A reader of the output says what else is wrong with it.
    if (event.type === 'result') throw new Error('report() takes no result: the turn ends as respond() does');
    // If nothing follows an error that it reports, that is the reason why it gives no answer.
    last.failure = event.type === 'error' ? failureIn(event) : null;
    emit(event.type === 'session' ? { ...event, session_id: request.sessionId } : event);
  };
  try {
    const reply = replyOf(await agent.respond(request.input, { act, report }));
    const { thought, text, actions = [] } = reply;
    if (thought !== undefined && thought !== '') emit({ type: 'reasoning', text: thought });
    for (const name of actions) await act(name, null, () => null);
    emit(
      text === ''
        ? { type: 'message', role: 'system', text: 'the agent did not reply' }
        : { type: 'message', role: 'assistant', text },
    );
    const said: TurnOfHistory[] = [
      { role: 'user', text: request.input },
      ...(text === '' ? [] : [{ role: 'assistant' as const, text }]),
    ];
    return { state: { history: [...history, ...said], state: reply.state ?? null }, failed: null };
  } catch (error) {
    if (last.failure !== null) return { state: null, failed: last.failure };
    console.error(error);
    const asked: TurnOfHistory = { role: 'user', text: request.input };
    return { state: { history: [...history, asked], state }, failed: { message: messageOf(error) } };
  } finally {
    restore();
  }
};

const accessOf = ({ request: { model: of }, key }: Turn): ModelForModule | null =>
  of === null ? null : { provider: of.provider, model: of.model, key: key === '' ? null : key, baseUrl: of.baseUrl };

const failureIn = ({ message, status }: Extract<AgentEvent, { type: 'error' }>): TurnFailure => ({
  message,
  ...(typeof status === 'number' ? { status } : {}),
});

/** The export of a module under a name, also if it was compiled to CommonJS. */
const exportedBy = (loaded: Loaded, name: string): unknown =>
  loaded[name] ?? (loaded['default'] as Loaded | null | undefined)?.[name];

/** The services that a module exports: a map, or a function that returns one. */
async function servicesOf(loaded: Loaded): Promise<Services> {
  const exported = exportedBy(loaded, 'services');
  const services: unknown = typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  return typeof services === 'object' && services !== null ? (services as Services) : {};
}

function characterOf({ request, variables }: Turn): unknown {
  const character = request.setup?.character ?? null;
  return typeof character === 'object' && character !== null ? fillVariables(character, variables) : null;
}

const isAgent = (value: unknown): value is ModuleAgent =>
  typeof (value as Partial<ModuleAgent> | null | undefined)?.respond === 'function';

function replyOf(value: unknown): Reply {
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'object' && value !== null && typeof (value as Partial<Reply>).text === 'string')
    return value as Reply;
  throw new Error('respond() returned neither a text nor an object with a text');
}

/** This program performs one turn. */
const running: string[] = [];

/** The action that is running; null if none is. */
const runningAction = (): string | null => running.at(-1) ?? null;

/** Performs an action of an agent, and prints events of it. */
const act: PerformAction = async (name, input, perform) => {
  const id = randomUUID();
  emitCall(id, name, input);
  running.push(name);
  try {
    const result = await perform();
    emitResult(id, false, result ?? '');
    return result;
  } catch (error) {
    emitResult(id, true, messageOf(error));
    throw error;
  } finally {
    running.splice(running.lastIndexOf(name), 1);
  }
};
