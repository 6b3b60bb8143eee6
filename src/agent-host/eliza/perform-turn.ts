import { type Json, messageOf } from '#lib';
import { connectModel } from '../model.js';
import { CannotSetUp, emit } from '../events.js';
import type { EndedTurn, PerformTurn, Turn } from '../turn-state.js';
import { createDatabase, seedDatabase } from './database.js';
import { mockServices } from '../mock-services.js';
import { emptyDatabase, type DatabaseContent } from './database/memories.js';
import {
  type Identity,
  identityOf,
  observe,
  type Observed,
  SOURCE,
  type UnsetSettings,
  watchSettings,
} from './observe.js';
import { loadPlugins } from './load-plugins.js';
import { replaceModels, requireModel, setTemperature } from './replace-models.js';
import type { Content, Core, Memory, Runtime, Plugin, Character } from './core.js';
import { fillVariables, loadModule } from '../load-module.js';
import { setTimeout as sleep } from 'node:timers/promises';

/** Gives the input to a new runtime, whose database is as it was after the turn before. */
export const performTurn: PerformTurn = async (turn) => {
  const { request, before } = turn;
  setVariables(turn);
  const core = await loadCore(request.folder);
  const state = (before ?? emptyDatabase()) as DatabaseContent;
  const { runtime, unset } = await createRuntime(core, turn, state);
  const identity = identityOf(core, runtime.agentId);
  await connectUser(runtime, identity);
  if (before === null && request.setup?.database !== undefined)
    await seedDatabase(runtime, core, request.setup.database, identity);
  const { user: entityId, room: roomId, world: worldId } = identity;
  const message: Memory = {
    id: core.stringToUuid(`${request.sessionId} ${request.turn}`),
    entityId,
    roomId,
    worldId,
    content: { text: request.input, source: SOURCE, channelType: 'API' },
    createdAt: Date.now(),
  };
  const observed = observe(runtime, identity, unset);
  const restore = mockServices(request, Object.fromEntries(runtime.services), () => ({
    agentName: runtime.character.name,
    roomId: identity.room,
    entityId: identity.user,
    action: observed.action(),
  }));
  try {
    const ended = await endOf(runtime, message, observed, state);
    return ended.state === null ? ended : { ...ended, state: { ...state, agents: {} } };
  } finally {
    restore();
  }
};

/** Plugins read settings from the runtime, and some of them from the environment when they are loaded. */
function setVariables({ request: { settings = [] }, variables }: Turn): void {
  for (const name of settings) if (variables[name] !== undefined) process.env[name] ??= variables[name];
}

async function createRuntime(
  core: Core,
  turn: Turn,
  state: DatabaseContent,
): Promise<{ runtime: Runtime; unset: UnsetSettings }> {
  const { request, key } = turn;
  const character = await loadCharacter(turn);
  const plugins = await loadPlugins(turn, character);
  const { id } = character;
  const runtime = new core.AgentRuntime({
    character,
    plugins,
    adapter: createDatabase(state),
    agentId: typeof id === 'string' ? id : core.stringToUuid(character.name),
    settings: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  const unset = watchSettings(runtime);
  if (request.model !== null) replaceModels(runtime, connectModel(request.model, key, character));
  await startRuntime(runtime, plugins);
  requireModel(runtime);
  setTemperature(runtime);
  return { runtime, unset };
}

const connectUser = (runtime: Runtime, { user, room, world }: Identity): Promise<void> =>
  runtime.ensureConnection({
    entityId: user,
    roomId: room,
    worldId: world,
    worldName: SOURCE,
    userName: 'user',
    name: 'user',
    source: SOURCE,
    type: 'API',
    channelId: room,
    messageServerId: world,
  });

/** Lets the runtime handle the message, and decides how the turn ended. */
async function endOf(
  runtime: Runtime,
  message: Memory,
  observed: Observed,
  state: DatabaseContent,
): Promise<EndedTurn> {
  if (runtime.messageService === null) throw new Error('the runtime has no message service');
  try {
    // It waits for actions and evaluators.
    const { responseContent } = await runtime.messageService.handleMessage(runtime, message, observed.callback);
    const failed = observed.modelFailure();
    if (!observed.hasReplied()) {
      if (failed !== null) return { state: null, failed };
      emitNoReply(responseContent);
    }
    return { state, failed: null };
  } catch (error) {
    const failed = observed.modelFailure();
    if (failed !== null) return { state: null, failed };
    const thrower = observed.thrower();
    const message = messageOf(error);
    return {
      state,
      failed: { message: thrower === null ? message : `action ${thrower} failed: ${message}` },
    };
  }
}

/** In the transcript, an agent that says nothing must not look like one whose words were lost. */
function emitNoReply(content: Content | null): void {
  const written = content?.text ?? '';
  emit({
    type: 'message',
    role: 'system',
    text:
      written === ''
        ? 'the agent did not reply'
        : `the agent did not reply: no action delivered the text of its model: ${written}`,
  });
}

const PACKAGE = '@elizaos/core';

/** Loads the user's ElizaOS. @throws CannotSetUp */
async function loadCore(folder: string): Promise<Core> {
  const loaded = await loadModule(folder, PACKAGE);
  if (typeof loaded['AgentRuntime'] !== 'function' || typeof loaded['stringToUuid'] !== 'function')
    throw new CannotSetUp(`${PACKAGE} is not a version that is supported here; install it: npm install ${PACKAGE}@1`);
  return loaded as unknown as Core;
}

/** As long as ElizaOS itself waits for a service. */
const SERVICE_MS = 30_000;

/**
 * Initializes the runtime and waits for the services of its plugins, which start only after it. A service that does not
 * start is reported; the runtime works without it, and would only log this.
 * @throws CannotSetUp
 */
async function startRuntime(runtime: Runtime, plugins: readonly Plugin[]): Promise<void> {
  const types = new Set(plugins.flatMap(({ services = [] }) => services.map(({ serviceType }) => serviceType)));
  const loads = [...types].map(async (type): Promise<string | null> => {
    const started = runtime.getServiceLoadPromise(type).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
    const late = `service ${type} did not start within ${SERVICE_MS / 1000} s`;
    return Promise.race([started, sleep(SERVICE_MS, late)]);
  });
  try {
    await runtime.initialize();
  } catch (error) {
    throw new CannotSetUp(`the runtime cannot be initialized: ${messageOf(error)}`, { cause: error });
  }
  for (const message of await Promise.all(loads))
    if (message !== null) emit({ type: 'error', message, retryable: false });
}

/** The values of a character that does not set them. */
const NAMELESS: Character = { name: 'Assistant', bio: 'An assistant.' };

/** The character of a scenario that has none: an agent that ignores messages could not be tested. */
const NOBODY = { system: 'Answer every message, even if it is unclear.' };

/** Returns the character, with the text before the conversation in its system prompt. @throws CannotSetUp */
async function loadCharacter({ request, variables }: Turn): Promise<Character> {
  const { setup, folder, system } = request;
  const written = setup?.character ?? NOBODY;
  const loaded = typeof written === 'string' ? await characterIn(folder, written) : written;
  const character: Character = { ...NAMELESS, ...loaded };
  for (const key of ['settings', 'secrets'])
    if (character[key] !== undefined) character[key] = fillVariables(character[key] as Json, variables);
  const before = [character.system, system].filter((text) => text != null && text !== '').join('\n\n');
  return before === '' ? character : { ...character, system: before };
}

/** The character that a module exports: as default, or under the name `character`. */
async function characterIn(folder: string, path: string): Promise<object> {
  const loaded = await loadModule(folder, path);
  const found = [loaded['character'], loaded['default']].find(
    (value) => typeof value === 'object' && value !== null && 'name' in value,
  );
  if (found === undefined)
    throw new CannotSetUp(`${path} exports no character; export one as default, or under the name 'character'`);
  return found;
}
