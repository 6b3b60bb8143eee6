/*
 * A small stand-in for `@elizaos/core` that speaks the same API, as far as the agent host uses it. The tests of the
 * real one (test/agents/real/eliza.test.ts) make the same checks.
 */

const CODE = String.raw`
import { createHash, randomUUID } from 'node:crypto';
export class Service { constructor(runtime) { this.runtime = runtime; } }
export function stringToUuid(text) {
  const hex = createHash('sha1').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
const folded = (name) => name.toLowerCase().replaceAll('_', '');
export class AgentRuntime {
  actions = []; services = new Map(); models = new Map(); events = {}; loads = new Map(); messageService = null;
  constructor({ character, plugins, adapter, agentId, settings }) {
    Object.assign(this, { character, plugins, adapter, agentId, settings });
  }
  getSetting(name) { return this.character.secrets?.[name] ?? this.character.settings?.[name] ?? this.settings[name] ?? null; }
  registerModel(type, handler, provider, priority = 0) {
    const all = [...(this.models.get(type) ?? []), { handler, priority }];
    this.models.set(type, all.sort((a, b) => b.priority - a.priority));
  }
  getModel(type) { return this.models.get(type)?.[0]?.handler; }
  async useModel(type, parameters) {
    const handler = this.getModel(type);
    if (handler === undefined) throw new Error('No handler found for delegate type: ' + type);
    return handler(this, parameters);
  }
  registerEvent(name, handler) { (this.events[name] ??= []).push(handler); }
  async emitEvent(name, params) { for (const handler of this.events[name] ?? []) await handler(params); }
  load(type) {
    if (!this.loads.has(type)) this.loads.set(type, Promise.withResolvers?.() ?? withResolvers());
    return this.loads.get(type);
  }
  getServiceLoadPromise(type) { return this.load(type).promise; }
  getService(type) { return this.services.get(type)?.[0] ?? null; }
  getServicesByType(type) { return this.services.get(type) ?? []; }
  async initialize() {
    for (const plugin of this.plugins) {
      await plugin.init?.(plugin.config ?? {}, this);
      this.actions.push(...(plugin.actions ?? []));
      for (const [type, handler] of Object.entries(plugin.models ?? {})) this.registerModel(type, handler, plugin.name, plugin.priority);
    }
    await this.adapter.init();
    await this.adapter.createEntities([{ id: this.agentId, names: [this.character.name], agentId: this.agentId, metadata: {} }]);
    this.messageService = { handleMessage: (runtime, message, callback) => handleMessage(runtime, message, callback) };
    for (const { serviceType, start } of this.plugins.flatMap(({ services = [] }) => services.map((one) => ({ serviceType: one.serviceType, start: () => one.start(this) })))) {
      const load = this.load(serviceType);
      start().then((service) => { this.services.set(serviceType, [...(this.services.get(serviceType) ?? []), service]); load.resolve(service); }, load.reject);
    }
  }
  async ensureConnection({ entityId, roomId, worldId, userName, type, source }) {
    await this.adapter.createEntities([{ id: entityId, names: [userName], agentId: this.agentId, metadata: {} }]);
    await this.adapter.createWorld({ id: worldId, agentId: this.agentId });
    await this.adapter.createRooms([{ id: roomId, worldId, type, source }]);
    await this.adapter.addParticipantsRoom([entityId, this.agentId], roomId);
  }
  ensureParticipantInRoom(entityId, roomId) { return this.adapter.addParticipantsRoom([entityId], roomId); }
  createEntity(entity) { return this.adapter.createEntities([entity]); }
  createMemory(memory, table, unique) { return this.adapter.createMemory(memory, table, unique); }
  addEmbeddingToMemory(memory) { return Promise.resolve(memory); }
  createRelationship(relationship) { return this.adapter.createRelationship(relationship); }
  getRelationships(query) { return this.adapter.getRelationships(query); }
  setCache(key, value) { return this.adapter.setCache(key, value); }
  getCache(key) { return this.adapter.getCache(key); }
  async processActions(message, responses, state, callback) {
    for (const name of responses.flatMap(({ content }) => content.actions ?? [])) {
      const action = this.actions.find((one) => folded(one.name) === folded(name));
      if (action?.handler === undefined) continue;
      const actionId = randomUUID();
      await this.emitEvent('ACTION_STARTED', { content: { actionId, actions: [action.name], actionStatus: 'executing' } });
      const said = [];
      const actionResult = await action.handler(this, message, state, {}, async (content) => { said.push(content); return []; });
      await this.emitEvent('ACTION_COMPLETED', { content: { actionId, actions: [action.name], actionStatus: actionResult?.success === false ? 'failed' : 'completed', actionResult, text: actionResult?.text ?? '' } });
      for (const content of said) await callback(content);
    }
  }
}
function withResolvers() { const all = {}; all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject })); return all; }
const tag = (xml, name) => new RegExp('<' + name + '>([^]*?)</' + name + '>').exec(xml)?.[1] ?? '';
async function handleMessage(runtime, message, callback) {
  await runtime.createMemory(message, 'messages');
  const memories = await runtime.adapter.getMemories({ tableName: 'messages', roomId: message.roomId });
  const prompt = [runtime.character.system ?? '', ...memories.reverse().map(({ content }) => content.text)].join('\n');
  let xml = '';
  for (let tries = 0; tries < 3 && tag(xml, 'thought') === ''; tries += 1) xml = await runtime.useModel('TEXT_LARGE', { prompt });
  if (tag(xml, 'thought') === '') return { responseContent: null, mode: 'none' };
  const content = { thought: tag(xml, 'thought'), actions: tag(xml, 'actions').split(','), text: tag(xml, 'text') };
  if (content.actions.join() === 'REPLY') await callback({ ...content, simple: true });
  else await runtime.processActions(message, [{ content }], {}, callback);
  for (const evaluator of runtime.plugins.flatMap(({ evaluators = [] }) => evaluators)) await evaluator.handler(runtime, message, {}, {}, callback, []);
  return { responseContent: content, mode: 'actions' };
}
`;

/** The files of the stand-in, in a project. */
export const fakeCore = (version = '1.7.2'): Record<string, string> => ({
  'node_modules/@elizaos/core/package.json': JSON.stringify({
    name: '@elizaos/core',
    version,
    type: 'module',
    exports: { '.': './index.js', './package.json': './package.json' },
  }),
  'node_modules/@elizaos/core/index.js': CODE,
});
