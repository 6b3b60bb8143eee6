import { describe, expect, it } from 'vitest';
import type { AgentEnd } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { createEndTracker } from '../../../src/agents/streams/contradictions.js';
import { decideOutcome } from '../../../src/model/verdict.js';
import { CAUSES, expectedOf } from '../causes.js';
import { CLI_NAMES } from '../clis.js';
import { classify, AT } from '../read-capture.js';

const text = { args: [], models: [], env: {} };
const agents = knownAgents({ text, events: { ...text, output: 'jsonl' } });
const agentNamed = (name: string) => agents.get(name) ?? fail(`there is no agent ${name}`);

/** The outcome of a run whose gate has failed after this end. */
const outcomeAfter = (ending: string): string =>
  decideOutcome({
    rule: 'all_pass',
    needsAgent: true,
    cancelled: false,
    unfit: null,
    agent: { ending: ending as 'unable', completed: ending === 'done', message: '' },
    checks: [
      {
        kind: 'gate',
        step: 'gate 1',
        why: null,
        result: { status: 'fail', message: '', gate_type: 'file_exists', subject: 'a', name: null } as never,
      },
    ],
  }).outcome;

describe('the end of a real agent, as it was recorded', () => {
  const cells = Object.entries(CAUSES).flatMap(([name, cause]) =>
    CLI_NAMES.map((agent) => [agent, name, ...expectedOf(cause, agent)] as const),
  );

  it.each(cells)('%s by the cause %s is %s (%s)', (agent, cause, ending, again) => {
    const found = classify(agentNamed(agent), `${agent}-${cause}`);
    expect([found.ending, found.again?.why ?? null]).toEqual([ending, again]);
    if (ending === 'unable') expect(outcomeAfter(ending)).toBe('error');
  });
});

/** Lines that an agent prints, and its exit status. */
interface Printed {
  lines: object[];
  exitCode: number;
}

/** For each agent, the stream of a start that ended with an error. */
const STREAMS: Readonly<Record<string, (message: string) => Printed>> = {
  'claude-code': (message) => ({
    lines: [
      {
        type: 'result',
        subtype: 'success',
        is_error: true,
        result: message,
        terminal_reason: 'model_error',
        api_error_status: null,
      },
    ],
    exitCode: 1,
  }),
  codex: (message) => ({
    lines: [
      { type: 'thread.started', thread_id: 't' },
      { type: 'error', message },
      { type: 'turn.failed', error: { message } },
    ],
    exitCode: 1,
  }),
  opencode: (message) => ({
    lines: [{ type: 'error', sessionID: 's', error: { name: 'UnknownError', data: { message } } }],
    exitCode: 1,
  }),
  gemini: (message) => ({
    lines: [{ type: 'result', status: 'error', error: { type: 'unknown', message } }],
    exitCode: 1,
  }),
  pi: (message) => ({
    lines: [
      { type: 'message_end', message: { role: 'assistant', stopReason: 'error', errorMessage: message } },
      { type: 'agent_end', messages: [{ role: 'assistant', stopReason: 'error' }] },
    ],
    exitCode: 0,
  }),
  events: (message) => ({ lines: [{ type: 'error', message, retryable: false }], exitCode: 1 }),
};

function endAfter(name: string, { lines, exitCode }: Printed, changes: Partial<AgentEnd> = {}) {
  const agent = agentNamed(name);
  const parser = agent.parser();
  const end = createEndTracker();
  const printed = lines.map((line) => JSON.stringify(line));
  for (const event of [...printed.flatMap((line) => parser.line(line)), ...parser.end()]) end.add(event);
  return agent.classify({ exitCode, stopped: null, at: AT, stderr: '', ...end.read(), ...changes });
}

/** Messages of agents about a provider that cannot be reached, or about something that answers in its place. */
const OUTAGES = [
  'The socket connection was closed unexpectedly. For more information, pass `verbose: true`',
  'Unable to connect. Is the computer able to access the url?',
  'The operation timed out.',
  'connect EHOSTUNREACH 10.0.0.1:443',
  'connect ENETUNREACH 2600::1:443 - Local (:::0)',
  'write EPIPE',
  'read ECONNRESET',
  'connect ECONNREFUSED 127.0.0.1:443',
  'connect ETIMEDOUT 1.2.3.4:443',
  'getaddrinfo ENOTFOUND api.example.com',
  'getaddrinfo EAI_AGAIN api.example.com',
  'Temporary failure in name resolution',
  'fetch failed',
  'Connection error.',
  'unable to get local issuer certificate',
  'self-signed certificate in certificate chain',
  'certificate has expired',
  'write EPROTO 00:error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
  'invalid peer certificate: UnknownIssuer',
  'UND_ERR_HEADERS_TIMEOUT',
  'API Error: 502 Bad Gateway',
  '504 Gateway Time-out',
  'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
  'Unexpected token < in JSON at position 0',
  '<html><head><title>Please sign in</title></head><body>unauthorized: no credit</body></html>',
  'HTTP 503: <!doctype html><html><body>Forbidden? Log in</body></html>',
];

/** Messages of agents about the account or the policy of the provider. */
const REFUSALS = [
  ['401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}', 'its key was refused'],
  ['Incorrect API key provided: sk-x.', 'its key was refused'],
  ['Request failed with status code 401', 'its key was refused'],
  ['Error code: 402 - no words', 'the account has no credit or no access'],
  ['Your credit balance is too low to access the API', 'the account has no credit or no access'],
  ['content policy violation', "its provider's policy blocked the request"],
  ['Provider finish_reason: content_filter', "its provider's policy blocked the request"],
] as const;

describe.each(Object.keys(STREAMS))('an error that %s reports', (name) => {
  const printed = STREAMS[name] ?? fail(name);

  it.each(OUTAGES)('is an outage, which is waited for, and never counts as a fail: %s', (message) => {
    const { ending, again } = endAfter(name, printed(message));
    expect([ending, again?.why]).toEqual(['unable', 'busy']);
  });

  it.each(OUTAGES)('is the reason even if a time limit ended the agent: %s', (message) => {
    for (const stopped of ['deadline', 'idle'] as const) {
      const { ending, again } = endAfter(name, printed(message), { stopped, exitCode: 143 });
      expect([ending, again?.why]).toEqual(['unable', 'busy']);
    }
  });

  it.each(REFUSALS)('is a refusal, which is not repeated: %s', (message, why) => {
    const found = endAfter(name, printed(message));
    expect([found.ending, found.again]).toEqual(['unable', null]);
    expect(found.message).toContain(why);
  });

  it('says when the account can be used again, and is waited for until then', () => {
    const found = endAfter(
      name,
      printed('You have reached your specified API usage limits. You will regain access on 2026-11-29 at 00:00 UTC.'),
    );
    expect(found.ending).toBe('unable');
    expect(found.again).toEqual({ why: 'limit', at: Date.parse('2026-11-29T00:01:00Z') });
    expect(found.message).toContain('regain access on 2026-11-29');
  });

  it.each([
    'required MCP servers failed to initialize: shop: connection closed: initialize response',
    'MCP client for `shop` timed out after 10 seconds: request timed out',
    'required MCP servers failed to initialize: shop: 401 Unauthorized, please sign in',
    'the tests still fail',
    'cannot read properties of undefined',
  ])('is not about the provider: %s', (message) => {
    expect(endAfter(name, printed(message)).ending).not.toBe('unable');
  });
});

describe('an error event of an agent of the config', () => {
  const endWith = (error: object) =>
    endAfter('events', { lines: [{ type: 'error', message: 'no words', ...error }], exitCode: 1 });

  it('is about its provider if it has a status, or can be repeated', () => {
    expect(endWith({ retryable: false, status: 422 })).toMatchObject({ ending: 'unable', again: null });
    expect(endWith({ retryable: false, status: 503 })).toMatchObject({
      ending: 'unable',
      again: { why: 'busy' },
    });
    expect(endWith({ retryable: true })).toMatchObject({ ending: 'unable', again: { why: 'busy' } });
    expect(endWith({ retryable: false }).ending).toBe('gave_up');
  });
});

describe('the last message of an agent whose output is text', () => {
  const endWith = (stderr: string, changes: Partial<AgentEnd> = {}) =>
    endAfter('text', { lines: [], exitCode: 1 }, { stderr, ...changes });

  it.each([...OUTAGES.filter((message) => !message.startsWith('<')), ...REFUSALS.map(([message]) => message)])(
    'shows that its provider did not serve it: %s',
    (message) => {
      const trace = `some log\n${message}\n    at send (client.js:1:2) {\n  code: 'x'\n}\n\nNode.js v20.19.0\n`;
      for (const stderr of [message, `first\n${message}\n`, trace])
        expect(endWith(stderr)).toMatchObject({ ending: 'unable', again: null });
    },
  );

  it.each([
    'curl: (22) The requested URL returned error: 401\ngiving up: the shop does not answer as specified',
    '$ shop login\nError: Invalid API key\nFAILED 3 of 5 tests',
    'connect ECONNREFUSED 127.0.0.1:3000\nthe server under test was not started in time',
    'I could not log in to the shop, so I stopped',
    'no plan for this',
  ])('is not mistaken for one of the provider: %j', (stderr) => {
    expect(endWith(stderr).ending).toBe('gave_up');
  });

  it('counts only if the agent failed by itself', () => {
    expect(endWith('Invalid API key', { exitCode: 0 }).ending).toBe('done');
    expect(endWith('Invalid API key', { stopped: 'deadline', exitCode: 143 }).ending).toBe('timeout');
  });
});

describe('an agent that a signal ended', () => {
  it.each([...Object.keys(STREAMS), 'text'])('%s was killed from outside, unless we stopped it', (name) => {
    for (const exitCode of [129, 130, 137, 143]) {
      const found = endAfter(name, { lines: [], exitCode });
      expect([found.ending, found.again?.why]).toEqual(['unable', 'killed']);
      const stopped = endAfter(name, { lines: [], exitCode }, { stopped: 'deadline' });
      expect([stopped.ending, stopped.again]).toEqual(['timeout', null]);
    }
    const crashed = endAfter(name, { lines: [], exitCode: 139 });
    expect([crashed.ending, crashed.again]).toEqual(['crashed', null]);
  });

  it('was not killed if it had reported its end', () => {
    const done = { type: 'result', ending: 'done', exit_code: null } as const;
    for (const stopped of ['result', 'deadline', 'idle'] as const)
      for (const name of [...CLI_NAMES, 'events'])
        expect(endAfter(name, { lines: [], exitCode: 137 }, { result: done, stopped }).ending).toBe('done');
    expect(endAfter('codex', { lines: [], exitCode: 137 }, { result: done }).ending).toBe('done');
  });
});

/** Output of commands that an agent merely runs and reads. */
const OUTPUT = `${OUTAGES.join('\n')}\n${REFUSALS.map(([message]) => message).join('\n')}`;

describe('the output of a command, about failures of providers', () => {
  const READ: Readonly<Record<string, object[]>> = {
    'claude-code': [
      {
        type: 'assistant',
        message: {
          model: 'm',
          content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'x' } }],
        },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: OUTPUT, is_error: true }] },
      },
      { type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: OUTPUT }] } },
    ],
    codex: [
      {
        type: 'item.completed',
        item: { id: '1', type: 'command_execution', command: 'x', aggregated_output: OUTPUT, exit_code: 1 },
      },
      { type: 'item.completed', item: { id: '2', type: 'agent_message', text: OUTPUT } },
    ],
    opencode: [
      {
        type: 'tool_use',
        sessionID: 's',
        part: { callID: 'c', tool: 'bash', state: { status: 'error', error: OUTPUT, input: {} } },
      },
      { type: 'text', sessionID: 's', part: { text: OUTPUT } },
    ],
    gemini: [
      { type: 'tool_result', tool_id: 'c', status: 'error', output: OUTPUT, error: { message: OUTPUT } },
      { type: 'message', role: 'assistant', content: OUTPUT },
    ],
    pi: [
      {
        type: 'tool_execution_end',
        toolCallId: 'c',
        toolName: 'bash',
        isError: true,
        result: { content: [{ text: OUTPUT }] },
      },
      {
        type: 'message_end',
        message: { role: 'assistant', content: [{ type: 'text', text: OUTPUT }], stopReason: 'stop' },
      },
    ],
    events: [
      { type: 'tool_result', id: 'c', exit_code: 1, is_error: true, output: OUTPUT, truncated: false },
      { type: 'message', role: 'assistant', text: OUTPUT },
    ],
    text: [{ said: OUTPUT }],
  };

  it.each(Object.entries(READ))('says nothing about the end of %s', (name, lines) => {
    for (const [exitCode, stopped] of [
      [1, null],
      [139, null],
      [143, 'deadline'],
      [143, 'idle'],
    ] as const)
      expect(endAfter(name, { lines, exitCode }, { stopped }).ending).not.toBe('unable');
  });
});

function fail(message: string): never {
  throw new Error(message);
}
