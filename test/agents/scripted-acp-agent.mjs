// An agent that speaks ACP, for the tests of acp-program: `node scripted-acp-agent.mjs BEHAVIOUR RECORD`. It writes
// what it receives to the file RECORD. BEHAVIOUR is JSON:
//   silent: methods that it never answers           dies: { at: method, status or signal }
//   errors: answers by method that are errors       before: lines that it prints before an answer, by method
//   asks: requests that it makes within the prompt  floods: MB that it prints within the prompt
//   ignoresEnd: it goes on after its input ends     answers: results by method
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [behaviour = '{}', record = ''] = process.argv.slice(2);
const {
  silent = [],
  dies,
  errors = {},
  before = {},
  asks = [],
  floods = 0,
  ignoresEnd,
  answers = {},
} = JSON.parse(behaviour);
/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @param {string} text */
const says = (text) => ({
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
});
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const results = {
  initialize: { protocolVersion: 1 },
  'session/new': { sessionId: 's', configOptions: [{ id: 'model', category: 'model' }] },
  'session/load': {},
  'session/resume': {},
  'session/list': { sessions: [{ sessionId: 'known' }] },
  'session/prompt': { stopReason: 'end_turn', usage },
  ...answers,
};
const open = new Map();
/** @type {unknown} */
let prompt = null;

process.on('SIGTERM', () => undefined);
const input = createInterface({ input: process.stdin });
input.on('close', () => (ignoresEnd ? setInterval(() => undefined, 1000) : process.exit(0)));
input.on('line', async (line) => {
  appendFileSync(record, `${line}\n`);
  const message = JSON.parse(line);
  if (message.method === undefined) return open.get(message.id)?.();
  if (message.method === 'session/cancel') return send({ id: prompt, result: { stopReason: 'cancelled' } });
  await perform(message);
});

/** @param {{ id: unknown, method: string }} message */
async function perform({ id, method }) {
  if (method === 'session/prompt') prompt = id;
  for (const one of before[method] ?? []) process.stdout.write(`${one}\n`);
  if (dies?.at === method) {
    if (dies.signal !== undefined) process.kill(process.pid, dies.signal);
    else process.exit(dies.status);
    return;
  }
  if (silent.includes(method)) return;
  if (method === 'session/prompt') {
    for (const [index, ask] of asks.entries()) {
      const answered = new Promise((resolve) => open.set(`ask-${index}`, resolve));
      send({ id: `ask-${index}`, ...ask });
      await answered;
    }
    const part = says('x'.repeat(1024 * 1024));
    for (let count = 0; count < floods; count += 1)
      if (!send(part)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    send(says('All is done.'));
  }
  const error = errors[method];
  send(error === undefined ? { id, result: results[method] ?? {} } : { id, error });
}
