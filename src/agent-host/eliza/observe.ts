import { randomUUID } from 'node:crypto';
import { messageOf } from '#lib';
import { emit, emitCall, emitResult } from '../events.js';
import { emitModelError } from '../model.js';
import type { TurnFailure } from '../turn-state.js';
import type { Action, Callback, Core, Memory, Runtime, Uuid } from './core.js';

/** Returns the names of keys and addresses that plugins have asked for in vain until now. */
export type UnsetSettings = () => string[];

// MODEL_MAX_TOKEN is a number.
const NEEDED = /(?<!MAX)_(KEY|TOKEN|SECRET|URL|ENDPOINT|HOST)$/;
/** Enough to see which ones are meant. */
const SHOWN = 5;

/** Remembers which settings of a runtime have no value. */
export function watchSettings(runtime: Runtime): UnsetSettings {
  const unset = new Set<string>();
  const getSetting = runtime.getSetting.bind(runtime);
  runtime.getSetting = (name, ...more) => {
    const value = getSetting(name, ...more);
    if (NEEDED.test(name) && (value == null || value === '')) unset.add(name);
    return value;
  };
  return () => [...unset].slice(0, SHOWN);
}

/** Where messages come from, and who registers models. */
export const SOURCE = 'llm-tool-test';

/** The parties and their places. The ids are the same in each run. */
export interface Identity {
  agent: Uuid;
  user: Uuid;
  room: Uuid;
  world: Uuid;
}

export const identityOf = (core: Core, agent: Uuid): Identity => ({
  agent,
  user: core.stringToUuid(`${SOURCE} user`),
  room: core.stringToUuid(`${SOURCE} room`),
  world: core.stringToUuid(`${SOURCE} world`),
});

/** The events of a runtime in a turn, as far as they decide how the turn ended. */
export interface Observed {
  /** Takes the replies of the agent. */
  callback: Callback;
  hasReplied(): boolean;
  /** The action that is running; null if none is. */
  action(): string | null;
  /** The action that threw; null if none did. */
  thrower(): string | null;
  /** The reason why the last call of a model failed; null if it did not. */
  modelFailure(): TurnFailure | null;
}

/** Prints an event for everything that the runtime thinks, does and says from now on. */
export function observe(runtime: Runtime, { agent, room, world }: Identity, unset: UnsetSettings): Observed {
  const running = new Map<string, string>();
  let replied = false;
  let thrower: string | null = null;
  let modelFailure: TurnFailure | null = null;
  let inActions = false;

  runtime.registerEvent('ACTION_STARTED', ({ content = {} }) => {
    const { actionId = randomUUID(), actions: [name = 'unknown'] = [] } = content;
    running.set(actionId, name);
    emitCall(actionId, name, null);
    return Promise.resolve();
  });
  runtime.registerEvent('ACTION_COMPLETED', ({ content = {} }) => {
    const { actionId = '', actionStatus, actionResult, text } = content;
    running.delete(actionId);
    const output = actionResult?.text ?? text ?? '';
    emitResult(actionId, actionStatus === 'failed', output === '' ? (actionResult ?? '') : output);
    return Promise.resolve();
  });
  runtime.registerEvent('MODEL_USED', ({ tokens = {} }) => {
    const { prompt = null, completion = null } = tokens;
    const unknown = { reasoning: null, cache_read: null, cache_write: null, cost_usd: null };
    emit({ type: 'usage', input: prompt, output: completion, ...unknown });
    return Promise.resolve();
  });

  const useModel = runtime.useModel.bind(runtime);
  const processActions = runtime.processActions.bind(runtime);
  runtime.useModel = async (type, ...more) => {
    try {
      const answer = await useModel(type, ...more);
      modelFailure = null;
      return answer;
    } catch (error) {
      // Evaluators and the action REPLY keep such errors to themselves.
      modelFailure = emitModelError(`model ${type}`, error, unset());
      throw error;
    }
  };
  runtime.processActions = async (message, responses, ...more) => {
    for (const { content } of responses) emitThought(content.thought);
    inActions = true;
    try {
      await processActions(message, responses, ...more);
    } catch (error) {
      // An action that throws is never reported as completed.
      for (const [id, name] of running) {
        emitResult(id, true, messageOf(error));
        thrower = name;
      }
      running.clear();
      throw error;
    } finally {
      inActions = false;
      for (const name of responses.flatMap(({ content }) => content.actions ?? []))
        if (actionNamed(runtime, name) === undefined) emitUnknown(runtime, name);
    }
  };

  return {
    callback: async (content) => {
      if (!inActions) {
        emitThought(content.thought);
        // The runtime delivers a simple reply itself, without an event. What others say here performs no action.
        if (content.simple === true) for (const name of content.actions ?? []) emitPerformed(name, content.text ?? '');
      }
      const { text = '' } = content;
      if (text === '') return [];
      replied = true;
      emit({ type: 'message', role: 'assistant', text });
      const memory: Memory = {
        id: randomUUID(),
        entityId: agent,
        agentId: agent,
        roomId: room,
        worldId: world,
        content: { source: SOURCE, ...content },
        createdAt: Date.now(),
      };
      await runtime.createMemory(memory, 'messages'); // without it, the next turn would not know of the reply
      return [memory];
    },
    hasReplied: () => replied,
    action: () => [...running.values()].at(-1) ?? null,
    thrower: () => thrower,
    modelFailure: () => modelFailure,
  };
}

function emitThought(text: string | undefined): void {
  if (text !== undefined && text !== '') emit({ type: 'reasoning', text });
}

function emitPerformed(name: string, output: string): void {
  const id = randomUUID();
  emitCall(id, name, null);
  emitResult(id, false, output);
}

function emitUnknown({ actions }: Runtime, name: string): void {
  const id = randomUUID();
  emit({ type: 'tool_call', id, name, input: null, command: null, executed: false });
  const known = actions.filter(({ handler }) => typeof handler === 'function').map((one) => one.name);
  emitResult(id, true, `there is no action ${name}; known: ${known.join(', ')}`);
}

const folded = (name: string): string => name.toLowerCase().replaceAll('_', '');

/**
 * The action that a runtime executes for a name that its model has written; undefined: none. It accepts parts of names.
 */
function actionNamed({ actions }: Pick<Runtime, 'actions'>, written: string): Action | undefined {
  const wanted = folded(written);
  const isLike = (name: string): boolean => folded(name).includes(wanted) || wanted.includes(folded(name));
  const found =
    actions.find(({ name }) => folded(name) === wanted) ??
    actions.find(({ name }) => isLike(name)) ??
    actions.find(({ similes = [] }) => similes.some(isLike));
  return typeof found?.handler === 'function' ? found : undefined;
}
