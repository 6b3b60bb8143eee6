/**
 * A plugin whose config is its script. `actions`, `text`: what the model answers; `recall`: a text that the reply
 * repeats if the prompt contains it; `broken`: what is thrown by the model (`model`, `connection`), the service
 * (`service`) or at its start (`start`). It writes to stdout, as plugins may.
 */
export const PLUGIN = String.raw`
import { writeSync } from 'node:fs';
import { Service } from '@elizaos/core';
export class Stock extends Service {
  static serviceType = 'stock';
  static broken = '';
  capabilityDescription = 'Counts what is in stock.';
  #count = 3;
  static async start(runtime) {
    if (Stock.broken === 'start') throw new Error('the stock is closed');
    return new Stock(runtime);
  }
  async stop() {}
  async count(item) {
    if (Stock.broken === 'service') throw Object.assign(new Error('nobody answers'), { code: 'DOWN' });
    return this.#count;
  }
  unit(item) { return 'pieces'; }
}
let script = {};
export default {
  name: 'scripted',
  description: 'Answers as its config says.',
  services: [Stock],
  async init(config, runtime) {
    script = config;
    Stock.broken = config.broken ?? '';
    writeSync(1, '{"type":"message","role":"assistant","text":"not from the agent"}\n');
    console.log('setting', runtime.getSetting('GREETING'));
    console.log('from file', runtime.getSetting(['FROM', 'FILE'].join('_')));
    console.log('shop', runtime.getSetting('SHOP_API_KEY'), process.env.SHOP_API_KEY, runtime.getSetting('SHOP_NAME'));
  },
  models: {
    async TEXT_LARGE(runtime, { prompt, temperature }) {
      console.log('noise');
      console.log('temperature', temperature);
      if (script.broken === 'model') throw new Error('the model is asleep');
      if (script.broken === 'connection')
        throw Object.assign(new Error('Cannot connect to API'), { url: 'http://me:secret@127.0.0.1:9/v1/responses?key=secret' });
      const recalled = script.recall !== undefined && prompt.includes(script.recall) ? script.recall : '';
      return '<response><thought>' + (script.thought ?? 'I know what to do') + '</thought><actions>' + (script.actions ?? 'REPLY') + '</actions><providers></providers><text>' + (script.text ?? '') + recalled + '</text></response>';
    },
  },
  actions: [
    {
      name: 'CHECK_STOCK', similes: [], description: 'Counts lamps.', validate: async () => true,
      async handler(runtime, message, state, options, callback) {
        const stock = runtime.getService('stock');
        try {
          const count = await stock.count('lamps');
          await callback({ text: 'There are ' + count + ' ' + stock.unit('lamps'), actions: ['CHECK_STOCK'] });
          return { success: true, text: 'counted ' + count };
        } catch (error) {
          await callback({ text: 'The stock says ' + error.code + ' ' + error.message, actions: ['CHECK_STOCK'] });
          return { success: false, text: error.message };
        }
      },
    },
    { name: 'EXPLODE', similes: [], description: 'Throws.', validate: async () => true, async handler() { throw new Error('boom'); } },
    {
      name: 'LOOK_UP', similes: [], description: 'Reads the database.', validate: async () => true,
      async handler(runtime, message, state, options, callback) {
        const relationships = await runtime.getRelationships({ entityId: message.entityId });
        const cached = await runtime.getCache('colour');
        await callback({ text: 'friends: ' + relationships.length + ', colour: ' + cached, actions: ['LOOK_UP'] });
        return { success: true, text: 'read' };
      },
    },
  ],
};
`;

/**
 * Another plugin: an action that works, one without a handler, and an evaluator that says something after each turn.
 */
export const EXTRA_PLUGIN = String.raw`
const always = { similes: [], validate: async () => true, examples: [] };
export default {
  name: 'extra',
  description: 'Dances.',
  actions: [
    { ...always, name: 'DANCE', description: 'Dances.', async handler() { return { success: true, text: 'danced' }; } },
    { ...always, name: 'UNFINISHED', description: 'Does nothing yet.' },
  ],
  evaluators: [
    {
      ...always, name: 'AFTERTHOUGHT', description: 'Says one more thing.', alwaysRun: true,
      async handler(runtime, message, state, options, callback) {
        await callback({ text: 'By the way', actions: ['CHECK_STOCK'] });
        return { success: true };
      },
    },
  ],
};
`;
