#!/usr/bin/env node
// A stand-in for an agent that speaks the Agent Client Protocol: it answers each request on a line of stdin with one on
// stdout, and does the task of the scenario `lamp_list` without asking a model.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (sessionId, update) => send({ method: 'session/update', params: { sessionId, update } });
let folder = '.';

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': ({ cwd }) => {
    folder = cwd;
    return { sessionId: 'one' };
  },
  'session/prompt': ({ sessionId }) => {
    const call = { toolCallId: 'call-1', title: 'write sorted.txt', kind: 'edit' };
    say(sessionId, { sessionUpdate: 'tool_call', ...call, status: 'pending' });
    const lines = readFileSync(join(folder, 'lamps.txt'), 'utf8').trim().split('\n').sort();
    writeFileSync(join(folder, 'sorted.txt'), `${lines.join('\n')}\n`);
    say(sessionId, { sessionUpdate: 'tool_call_update', ...call, status: 'completed' });
    say(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'The list is sorted.' } });
    return { stopReason: 'end_turn' };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method];
  if (answer !== undefined) send({ id, result: answer(params) });
  else if (id !== undefined && method !== undefined)
    send({ id, error: { code: -32601, message: `there is no method ${method}` } });
}
