import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.js';
import { acpAgent } from '../../src/agents/acp/acp.js';
import { NO_SESSION_STATUS } from '../../src/agents/acp/acp-file.js';
import { presetOf, UNTRIED } from '../../src/agents/acp/presets.js';
import { knownAgents } from '../../src/agents/known-agents.js';
import { createContradictionFinder, createEndTracker } from '../../src/agents/streams/contradictions.js';
import type { Problem } from '../../src/lib/errors/problem.js';
import { misfits } from '../../src/planning/agent-problems.js';
import type { SelectedVariant } from '../../src/planning/select-scenarios.js';
import { createTrajectoryCollector } from '../../src/model/transcript/trajectory.js';
import type { EventBody } from '../../src/model/records/events.js';
import { acpCaptures, acpLinesOf, truthOf } from './acp-captures.js';
import { survivesAnyLine } from './hostile-lines.js';
import { ofType, usageOf } from './read-capture.js';
import { NO_SETTINGS, REQUEST } from './requests.js';

const agentOf = (name: string): Agent => {
  const id = name.replace(/-acp$/, '');
  return acpAgent(id, ['cline', 'pi'].includes(id) ? UNTRIED : presetOf(id), NO_SETTINGS);
};

/** Reads starts of an agent, and classifies the end of the last one. */
function read(agent: Agent, starts: readonly (readonly string[])[], exitCode = 0) {
  const parser = agent.parser();
  const finder = createContradictionFinder(parser);
  const trajectory = createTrajectoryCollector();
  const events: EventBody[] = [];
  let end = createEndTracker();
  const add = (event: EventBody): void => {
    for (const one of [finder, trajectory, end]) one.add(event);
    events.push(event);
  };
  for (const [index, lines] of starts.entries()) {
    finder.begin();
    end = createEndTracker();
    parser.begin?.(index + 1);
    for (const line of lines) for (const event of parser.line(line)) add(event);
  }
  for (const event of parser.end()) add(event);
  const { unseen, commands } = trajectory.end(null);
  const [contradiction] = finder.end({ exitCode, stopped: null });
  return {
    events,
    classified: agent.classify({ exitCode, stopped: null, at: 0, stderr: '', ...end.read() }),
    usage: usageOf(events),
    pending: parser.usagePending(),
    problems: parser.problems?.().first ?? [],
    commands: commands.map(({ whole }) => whole),
    unknown: unseen?.calls ?? contradiction?.message ?? null,
  };
}

const update = (fields: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: fields } });
const says = (text: string, more: object = {}): string =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });
const asks = (toolCall: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'session/request_permission', params: { toolCall } });
const call = (fields: object): string => update({ sessionUpdate: 'tool_call', toolCallId: 'c', ...fields });
const more = (fields: object): string => update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields });
const ends = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id: 9, result });
const refuses = (error: object): string => JSON.stringify({ jsonrpc: '2.0', id: 9, error });
const TOKENS = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const OK = ends({ stopReason: 'end_turn', usage: TOKENS });
/** A start with a prompt. */
const turn = (...lines: string[]): string[] => [
  '{"acp":"session","id":"s","model":null}',
  '{"acp":"prompt","id":9}',
  ...lines,
];
const readTurn = (name: string, ...lines: string[]) => read(agentOf(name), [turn(...lines)]);

/** The tokens that agents report of n requests, each of 1000 (100 of them from a cache) and 50. */
const EXPECTED_USAGE: Record<string, (requests: number) => object> = {
  copilot: (n) => ({ input: 900 * n, output: 50 * n, cache_read: 100 * n }),
  hermes: (n) => ({ input: 900 * n, output: 50 * n, cache_read: 100 * n }),
  'codex-acp': (n) => ({ input: 900 * n, output: 50 * n, cache_read: 100 * n }),
  qwen: (n) => ({ input: 900 * n, output: 50 * n, cache_read: 100 * n }),
  'claude-acp': (n) => ({ input: 1000 * n, output: 50 * n, cache_read: 100 * n }),
  gemini: (n) => ({ input: 1000 * n, output: 50 * n, cache_read: null }),
  opencode: () => ({ input: 900, output: 50, cache_read: 100 }),
  kimi: () => ({ input: null, output: null }),
};
/** True for agents that report the tokens of all requests. */
const exact = (agent: string): boolean => !['kimi', 'opencode'].includes(agent);
const noExitCodes = ['gemini'];

describe('the recorded conversation', () => {
  const named = (kind: string): string[] => acpCaptures.filter((name) => name.endsWith(`-${kind}`));

  it.each([...named('ok'), ...named('toolerr')])('%s has its commands, exit codes, tokens and end', (name) => {
    const { agent, truth, stop, case: kind } = truthOf(name);
    const { events, classified, commands, usage, pending, problems, unknown } = read(agentOf(agent), acpLinesOf(name));
    expect(classified).toEqual({ ending: 'done', message: 'completed', again: null });
    expect(commands.slice(0, truth.commands_scripted.length)).toEqual(truth.commands_scripted);
    const ids = ofType(events, 'tool_call').flatMap(({ id, command }) => (command === null ? [] : [id]));
    const codes = ofType(events, 'tool_result').filter(({ id }) => id === ids[0]);
    expect(codes.map(({ exit_code }) => exit_code)).toEqual(noExitCodes.includes(agent) ? [null] : truth.exit_codes);
    if (!noExitCodes.includes(agent)) expect(codes[0]?.is_error).toBe(kind === 'toolerr');
    const requests = kind === 'ok' ? 3 : 2;
    expect(usage).toMatchObject(EXPECTED_USAGE[agent]?.(requests) ?? {});
    expect([pending, problems]).toEqual([!exact(agent), []]);
    expect(unknown).toBeNull();
    expect(ofType(events, 'message').at(-1)?.text.trim()).toBe(kind === 'ok' ? 'All done.' : 'It failed.');
    expect(stop).not.toBeNull();
    if (kind === 'ok') expect(JSON.stringify(events)).toContain('edit.txt');
  });

  it.each(named('401'))('%s is an end that says nothing about the tool under test', (name) => {
    const { events, classified, pending } = read(agentOf(truthOf(name).agent), acpLinesOf(name));
    expect(classified).toMatchObject({ ending: 'unable', again: null });
    expect(classified.message).toMatch(/^its key was refused/);
    expect(ofType(events, 'tool_call')).toEqual([]);
    expect(pending).toBe(false);
  });

  it.each(named('load').filter((name) => name !== 'gemini-load'))('%s does not repeat what it replays', (name) => {
    const { agent, truth } = truthOf(name);
    const { events, classified, commands, pending } = read(agentOf(agent), acpLinesOf(name));
    expect(classified.ending).toBe('done');
    expect(commands).toEqual(truth.commands_scripted);
    expect(ofType(events, 'message').filter(({ text }) => text === 'One. ')).toHaveLength(1);
    // The killed start has not reported its tokens, unless the agent reports them for each request.
    expect(pending).toBe(agent !== 'qwen');
  });

  it('gemini-load asks for a new session', () => {
    const { classified, commands } = read(agentOf('gemini'), acpLinesOf('gemini-load'), NO_SESSION_STATUS);
    expect(classified.again?.why).toBe('session');
    expect(commands).toEqual(truthOf('gemini-load').truth.commands_scripted.slice(0, 2));
  });

  it('cline-auth-required is an agent whose login is missing', () => {
    const { classified } = read(agentOf('cline'), acpLinesOf('cline-auth-required'), NO_SESSION_STATUS);
    expect(classified).toMatchObject({
      ending: 'unable',
      message: expect.stringMatching(/^its key was refused/) as string,
    });
  });

  it('pi-session-new-hangs has no events, as nothing was done', () => {
    expect(read(agentOf('pi'), acpLinesOf('pi-session-new-hangs')).events).toEqual([]);
  });

  it.each([...named('ok'), ...named('toolerr')])('%s shows that a line with a call is missing', (name) => {
    const agent = agentOf(truthOf(name).agent);
    const [lines = []] = acpLinesOf(name);
    const whole = read(agent, [lines]).commands;
    for (const [index] of lines.entries()) {
      const { commands, unknown, classified } = read(agent, [lines.toSpliced(index, 1)]);
      if (commands.length < whole.length && classified.ending === 'done') expect([index, unknown]).not.toContain(null);
    }
  });
});

test('no line crashes the parser', () => {
  const lines = ['{"acp":"prompt","id":3}', ...acpCaptures.flatMap((name) => acpLinesOf(name).flat())];
  for (const name of ['copilot', 'qwen', 'hermes', 'claude', 'codex', 'opencode'])
    survivesAnyLine(() => {
      const parser = agentOf(name).parser();
      parser.line('{"acp":"prompt"}');
      return parser;
    }, lines);
});

describe('an end_turn', () => {
  it.each<[string, string, string[], string]>([
    ['with an answer and its tokens', 'copilot', [says('Done.'), OK], 'done'],
    [
      'without tokens of an agent that reports them',
      'copilot',
      [says('Done.'), ends({ stopReason: 'end_turn' })],
      'unable',
    ],
    [
      'with no tokens but zeros',
      'copilot',
      [says('Done.'), ends({ stopReason: 'end_turn', usage: { inputTokens: 0, outputTokens: 0 } })],
      'unable',
    ],
    [
      'whose answer is an error of the agent',
      'copilot',
      [says('Error: Failed to get response (HTTP 500)'), OK],
      'unable',
    ],
    [
      'whose answer was cut off by an error',
      'copilot',
      [says('All is'), says('Error: Failed to get response'), OK],
      'unable',
    ],
    ['without an answer', 'kimi', [ends({ stopReason: 'end_turn' })], 'unable'],
    ['without words for its tokens', 'codex', [OK], 'unable'],
    ['with nothing but a space', 'vibe', [says(' '), OK], 'unable'],
    [
      'of hermes that has no room',
      'hermes',
      [says('Context length exceeded (139 tokens). Cannot compress.'), OK],
      'gave_up',
    ],
    [
      'without an answer after its last call',
      'hermes',
      [says('I run it.'), call({ kind: 'execute', content: [] }), more({ status: 'completed' }), OK],
      'unable',
    ],
    [
      'of codex whose thread is broken',
      'codex',
      [
        says('Done.'),
        update({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type: 'systemError' } } } }),
        OK,
      ],
      'unable',
    ],
    [
      'of codex that has recovered',
      'codex',
      [
        ...['systemError', 'active', 'idle'].map((type) =>
          update({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } }),
        ),
        says('Done.'),
        OK,
      ],
      'done',
    ],
    [
      'of codex that gave up',
      'codex',
      [says('exceeded retry limit, last status: 429 Too Many Requests'), ends({ stopReason: 'end_turn', usage: null })],
      'unable',
    ],
    ['of qwen without tokens of its last request', 'qwen', [says('Done.'), ends({ stopReason: 'end_turn' })], 'unable'],
    ['of an unknown agent', 'pi', [says('Done.'), ends({ stopReason: 'end_turn' })], 'done'],
    [
      'of an unknown agent with an error line only',
      'pi',
      [says('API Error: 529 overloaded'), ends({ stopReason: 'end_turn' })],
      'unable',
    ],
    [
      'of an unknown agent whose words are about an error',
      'pi',
      [says('Error: x is what it prints.\nI have fixed it.'), ends({ stopReason: 'end_turn' })],
      'done',
    ],
    ['of an unknown agent without any words', 'pi', [ends({ stopReason: 'end_turn' })], 'crashed'],
  ])('%s (%s)', (_, name, lines, ending) => {
    expect(readTurn(name, ...lines).classified.ending).toBe(ending);
  });

  it.each([
    [{ code: 429, message: 'slow down' }, 'gemini', 'busy'],
    [{ code: -32_603, message: 'Internal error', data: { errorKind: 'rate_limit' } }, 'claude', 'busy'],
    [{ code: -32_603, message: 'Internal error', data: { errorKind: 'server_error' } }, 'claude', 'busy'],
    [{ code: -32_603, message: 'Internal error', data: { details: '503 try later' } }, 'qwen', 'busy'],
    [{ code: -31_002, message: 'Nope' }, 'vibe', null],
    [{ code: -31_001, message: 'Nope' }, 'vibe', 'busy'],
    [{ code: -31_005, message: 'The model declined to respond for cell (model: m).' }, 'vibe', null],
    [{ code: -32_603, message: 'Internal error', data: { details: 'Model stream ended early.' } }, 'qwen', 'busy'],
    [{ code: -32_603, message: 'peer closed connection without sending complete message body' }, 'vibe', 'busy'],
    [{ code: -32_603, message: 'Model stream from cell (m) ended without a finish reason.' }, 'vibe', 'busy'],
    [{ code: -32_603, message: 'Internal error', data: { statusCode: 503 } }, 'pi', 'busy'],
    [{ code: -32_603, message: 'Internal error: {"code":"server_error"}' }, 'opencode', 'busy'],
    [{ code: -32_603, message: 'Internal error: Not Found' }, 'opencode', null],
    [{ code: -32_000, message: 'Nope' }, 'pi', null],
  ])('is not that of a prompt that failed: %j', (error, name, why) => {
    const { classified } = readTurn(name, refuses(error));
    expect([classified.ending, classified.again?.why ?? null]).toEqual(['unable', why]);
  });

  it.each([
    ['max_turn_requests', 'max_turns'],
    ['max_tokens', 'gave_up'],
    ['refusal', 'unable'],
    ['cancelled', 'crashed'],
    ['of another kind', 'crashed'],
  ])('is not the stop reason %s', (stopReason, ending) => {
    expect(readTurn('copilot', says('Well'), ends({ stopReason, usage: TOKENS })).classified.ending).toBe(ending);
  });

  const broken =
    'I hit an internal error while calling the model: generic request failed (status=429): Error code: 429';

  it('is not a refusal by which fast-agent reports that it was not served', () => {
    const { classified } = readTurn('fast-agent', says(broken), ends({ stopReason: 'refusal' }));
    expect([classified.ending, classified.again?.why]).toEqual(['unable', 'busy']);
  });

  it('is not awaited in vain if vibe says that it repeats its request', () => {
    const retry = (detail: string): string =>
      JSON.stringify({ jsonrpc: '2.0', method: '_session/retrying', params: { category: 'rate_limited', detail } });
    const after = (...lines: string[]) => {
      const parser = agentOf('vibe').parser();
      const end = createEndTracker();
      for (const event of [...turn(...lines).flatMap((line) => parser.line(line)), ...parser.end()]) end.add(event);
      return agentOf('vibe').classify({ exitCode: 143, stopped: 'deadline', at: 0, stderr: '', ...end.read() });
    };
    expect(after(retry('HTTP 429'))).toMatchObject({ ending: 'unable', again: { why: 'busy' } });
    expect(after(retry('ConnectError')).ending).toBe('unable');
    expect(after(retry('HTTP 429'), says('Now.')).ending).toBe('timeout');
  });

  it('that the agent goes on after is none', () => {
    const { unknown } = readTurn('copilot', says('Done.'), OK, call({ rawInput: { a: 1 }, status: 'completed' }));
    expect(unknown).toBe('it goes on after its end, and reports no other');
  });
});

describe('a call', () => {
  const callsIn = (name: string, ...lines: string[]) => ofType(readTurn(name, ...lines).events, 'tool_call');

  it('is reported once its command is known, never as its bare announcement', () => {
    const parser = agentOf('claude').parser();
    for (const line of turn()) parser.line(line);
    expect(parser.line(call({ kind: 'execute', title: 'Terminal', rawInput: {} }))).toEqual([]);
    expect(parser.line(more({ rawInput: { command: 'make' } }))).toMatchObject([{ command: 'make', name: 'Terminal' }]);
  });

  it('has the whole of an input that arrives in parts', () => {
    const lines = [call({ kind: 'edit', rawInput: { path: 'a' } }), more({ rawInput: { path: 'a', content: 'b' } })];
    expect(callsIn('claude', ...lines, says('x'))).toMatchObject([
      { input: { path: 'a', content: 'b' }, command: null },
    ]);
  });

  it('has the file that it writes, if nothing else is known', () => {
    const content = [{ type: 'diff', path: 'a', oldText: null, newText: 'b' }];
    expect(callsIn('gemini', asks({ toolCallId: 'c', kind: 'edit', content }), says('x'))).toMatchObject([
      { input: { path: 'a', newText: 'b' } },
    ]);
  });

  it.each([
    [{ command: ['bash', '-lc', 'make all'] }, 'make all'],
    [{ command: ['make', 'a b'] }, "make 'a b'"],
    [{ cmd: 'make' }, 'make'],
  ])('has the command of %j', (rawInput, command) => {
    expect(callsIn('pi', call({ kind: 'execute', rawInput }))).toMatchObject([{ command }]);
  });

  it.each([
    ['a killed agent has announced it', [call({ kind: 'execute', title: 'bash', rawInput: { cwd: '/' } })]],
    ['it has only the name of a shell', [call({ kind: 'execute', title: 'bash' }), says('x'), OK]],
    [
      'codex takes it for reading',
      [call({ kind: 'read', name: 'exec_command', title: "Read file 'a'" }), more({ status: 'completed' })],
    ],
    ['it has no id', [update({ sessionUpdate: 'tool_call', kind: 'execute' })]],
    ['its id is that of another', [call({ rawInput: { a: 1 }, status: 'completed' }), call({ rawInput: { a: 2 } })]],
  ])('is not counted on if %s', (_, lines) => {
    expect(readTurn('fast-agent', ...lines).unknown).not.toBeNull();
  });

  it('has an id of its own in each start, and the result of one that was interrupted', () => {
    const running = turn(call({ kind: 'execute', rawInput: { command: 'make' } }));
    const { events } = read(agentOf('copilot'), [
      running,
      turn(more({ status: 'failed' }), call({ kind: 'execute', rawInput: { command: 'make test' } })),
    ]);
    expect(ofType(events, 'tool_call').map(({ id, command }) => [id, command])).toEqual([
      ['c', 'make'],
      ['c.2', 'make test'],
    ]);
    expect(ofType(events, 'tool_result')).toMatchObject([{ id: 'c', is_error: true }]);
  });

  it.each([
    [{ backgroundTaskId: '1' }, null],
    [{ returnCodeInterpretation: 'No matches' }, null],
    [{ interrupted: true }, null],
    [{ stdout: 'x' }, 0],
  ])('of claude that reports %j has the exit status %s', (toolResponse, status) => {
    const lines = [
      call({ kind: 'execute', rawInput: { command: 'make' } }),
      more({ _meta: { claudeCode: { toolResponse } } }),
      more({ status: 'completed', rawOutput: 'Exit code 7 is what it prints' }),
    ];
    expect(ofType(readTurn('claude', ...lines).events, 'tool_result')).toMatchObject([{ exit_code: status }]);
  });

  it('of an unknown agent has no exit status that only its words state', () => {
    const lines = [
      call({ kind: 'execute', rawInput: { command: 'a' } }),
      more({ status: 'failed', rawOutput: 'Exit code 3' }),
    ];
    expect(ofType(readTurn('pi', ...lines).events, 'tool_result')).toMatchObject([{ exit_code: null, is_error: true }]);
  });
});

describe('the log of', () => {
  const problem = (name: string, ...records: object[]): string | null | undefined =>
    agentOf(name).lastAnswer?.sessionProblem(records.map((one) => JSON.stringify(one)).join('\n'), 's');
  const ofCopilot = (finishReason: string, sourceSessionId = 's') => ({
    type: 'session.usage_record',
    data: { usage: { finishReason, accounting: { sourceSessionId } } },
  });
  const ofKimi = (time: number, finishReason: string, usage = {}) => ({
    type: 'agent.message.appended',
    time,
    message: { message: {}, meta: { source: 'llm', usage, finish: { finishReason } } },
  });
  const failed = (time: number, error: object | null) => ({ type: 'turn.ended', time, reason: 'failed', error });

  it('copilot says why its last answer is incomplete', () => {
    expect(problem('copilot', ofCopilot('tool_calls'), ofCopilot('length'))).toMatch(/exceeded the token limit/);
    expect(problem('copilot', ofCopilot('content_filter'))).toMatch(/content filter/);
    expect(problem('copilot', ofCopilot('length'), ofCopilot('stop'))).toBeNull();
    expect(problem('copilot', ofCopilot('stop'), ofCopilot('length', 'another'))).toBeNull();
    expect(problem('copilot')).toBeNull();
  });

  it('vibe says why its last answer is incomplete', () => {
    const record = (sequence: number, finish_reason: string) => ({
      sequence,
      payload: { result: { result: { finish_reason } } },
    });
    expect(problem('vibe', record(9, 'content_filter'), record(4, 'tool_call'))).toMatch(/content filter/);
    expect(problem('vibe', record(9, 'stop'), record(4, 'length'))).toBeNull();
  });

  it('qwen says why its last answer is incomplete, whatever it asks the model besides', () => {
    const record = (finish_reason: string, id = 's########1'): string =>
      `    "qwen-code.prompt_id": "${id}",\n    "finish_reason": "${finish_reason}",\n`;
    const problemIn = (...records: string[]) => agentOf('qwen').lastAnswer?.sessionProblem(records.join(''), 's');
    expect(problemIn(record('tool_calls'), record('length'))).toMatch(/exceeded the token limit/);
    expect(problemIn(record('content_filter'), record('stop', 's#memory#0'))).toMatch(/content filter/);
    expect(problemIn(record('length'), record('stop'), record('length', 'forked_query'))).toBeNull();
    expect(problemIn(record('stop'), record('length', 'another########1'))).toBeNull();
  });

  it('opencode says why its last answer is incomplete, wherever that is in its database', () => {
    const step = (id: string, reason: string, session = 's') => {
      const part = { id: `prt_${id}`, sessionID: `ses_${session}`, messageID: 'msg_1', type: 'step-finish', reason };
      return `\0\x13{"sessionID":"ses_s","part":${JSON.stringify(part)}}\0`;
    };
    const problemIn = (...records: string[]) =>
      agentOf('opencode').lastAnswer?.sessionProblem(records.join(''), 'ses_s');
    expect(problemIn(step('2', 'length'), step('1', 'tool-calls'))).toMatch(/exceeded the token limit/);
    expect(problemIn(step('1', 'length'), step('2', 'stop'), step('3', 'length', 'other'))).toBeNull();
    expect(problemIn(step('2', 'stop'), JSON.stringify(step('3', 'length')))).toBeNull();
  });

  it('gemini is that of its adapter, whose records have other ids', () => {
    const records = ['stop', 'length'].map(
      (reason) =>
        `    "event.name": "gemini_cli.api_response",\n    "prompt_id": "other",\n    "finish_reasons": [\n      "${reason}"\n    ],\n    "role": "main",\n`,
    );
    const problemIn = (text: string) => agentOf('gemini').lastAnswer?.sessionProblem(text, 's');
    expect(problemIn(records.join(''))).toMatch(/exceeded the token limit/);
    expect(problemIn(records.toReversed().join(''))).toBeNull();
  });

  it('kimi says why its last answer is incomplete, in whatever order its files are read', () => {
    expect(problem('kimi', ofKimi(2, 'truncated'), ofKimi(1, 'completed'))).toMatch(/exceeded the token limit/);
    expect(problem('kimi', ofKimi(1, 'truncated'), ofKimi(2, 'completed'))).toBeNull();
    expect(problem('kimi', ofKimi(1, 'completed'), failed(2, null))).toBeNull();
  });

  it('kimi says why it was not served, of which it tells nothing', () => {
    const error = { message: '429 Rate limit reached', details: { statusCode: 429 } };
    expect(problem('kimi', failed(1, error))).toBe('HTTP 429: 429 Rate limit reached');
    expect(problem('kimi', failed(1, error), ofKimi(2, 'completed'), failed(3, null))).toBeNull();
  });

  it('kimi has the tokens of each request', () => {
    const line = JSON.stringify(ofKimi(1, 'x', { inputOther: 9, output: 5, inputCacheRead: 1, inputCacheCreation: 0 }));
    const usage = { input: 9, output: 5, reasoning: null, cache_read: 1, cache_write: 0 };
    expect(agentOf('kimi').usageInLog?.(line)).toEqual(usage);
    expect(agentOf('kimi').firstRequest?.reader().line(line)).toEqual({ tokens: 10 });
    expect(agentOf('kimi').usageInLog?.('{"type":"turn.ended"}')).toBeNull();
  });

  it.each(['copilot', 'qwen', 'kimi', 'vibe', 'opencode', 'gemini'])('%s is read whatever is in it', (name) => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string())), (lines) => {
        agentOf(name).lastAnswer?.sessionProblem(lines.join('\n'), 's');
        for (const line of lines) agentOf(name).usageInLog?.(line);
      }),
    );
  });
});

/** Updates of all kinds, and of some that the protocol does not have. */
const anyUpdate = (() => {
  const some = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined });
  const text = fc.constantFrom('', ' ', 'Done.', 'Error: HTTP 429', '$ make', 'exit_code:** 3');
  const content = fc.oneof(
    text.map((one) => ({ type: 'content', content: { type: 'text', text: one } })),
    text.map((one) => ({ type: 'content', content: { type: 'resource', resource: { uri: 'file:///a', text: one } } })),
    fc.constantFrom<object | null>(
      { type: 'content', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { type: 'diff', path: 'a', oldText: null, newText: 'b' },
      { type: 'terminal', terminalId: 't' },
      null,
    ),
  );
  const call = fc.record({
    sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'),
    toolCallId: fc.constantFrom<unknown>('c', 'd', '', 3, undefined),
    kind: fc.constantFrom(undefined, 'execute', 'edit', 'read', 'other', 'of another kind'),
    status: fc.constantFrom(undefined, 'pending', 'in_progress', 'completed', 'failed', 'cancelled', 'odd'),
    title: fc.option(text, { nil: undefined }),
    rawInput: fc.constantFrom<unknown>(
      undefined,
      null,
      {},
      { command: 'make' },
      { command: ['sh', '-c', 'x'] },
      'x',
      [],
    ),
    rawOutput: fc.constantFrom<unknown>(undefined, null, 'x', { exitCode: 3 }, { exitCode: -1 }, { output: 'x' }, [{}]),
    content: fc.option(fc.oneof(fc.array(content), fc.constant('x')), { nil: undefined }),
    _meta: fc.constantFrom<unknown>(
      undefined,
      null,
      { usage: { inputTokens: 5 } },
      { claudeCode: { toolName: 'Bash' } },
    ),
  });
  const words = fc.record({
    sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'),
    content: fc.oneof(
      text.map((one) => ({ type: 'text', text: one })),
      fc.constantFrom<unknown>({ type: 'image', data: '' }, null, 'x', []),
    ),
    messageId: fc.constantFrom(undefined, 'm', 'n'),
    _meta: some({ usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }),
  });
  const others = fc.record({
    sessionUpdate: fc.constantFrom<unknown>('plan', 'usage_update', 'notice', 'compaction_update', 'x', 3, undefined),
    entries: some([{ content: 'first', status: 'pending' }]),
    used: some(10),
    cost: fc.constantFrom<unknown>(undefined, null, { amount: 1, currency: 'USD' }, { amount: -1, currency: 'USD' }),
  });
  return fc.oneof(call, words, others);
})();

describe('whatever an agent prints', () => {
  const answer = fc.oneof(
    fc.record({
      stopReason: fc.constantFrom<unknown>('end_turn', 'refusal', 'max_tokens', 'cancelled', 'odd', 3, undefined),
      usage: fc.constantFrom<unknown>(undefined, null, TOKENS, { inputTokens: 0 }, { inputTokens: -1 }, 'x'),
    }),
    fc.constant(null),
  );
  const lines = fc.array(
    fc.oneof(
      anyUpdate.map((one) => update(one)),
      anyUpdate.map((one) => asks(one)),
    ),
    { maxLength: 12 },
  );

  it.each(['copilot', 'qwen', 'kimi', 'vibe', 'hermes', 'fast-agent', 'opencode', 'gemini', 'claude', 'codex', 'pi'])(
    'every result of %s has its call, and only an end_turn with words is done',
    (name) => {
      fc.assert(
        fc.property(lines, answer, (given, result) => {
          const end = JSON.stringify({ jsonrpc: '2.0', id: 9, result });
          const { events, classified } = readTurn(name, ...given, end);
          const calls = ofType(events, 'tool_call').map(({ id }) => id);
          expect(new Set(calls).size).toBe(calls.length);
          const results = ofType(events, 'tool_result').map(({ id }) => id);
          expect(new Set(results).size).toBe(results.length);
          for (const id of results) expect(calls).toContain(id);
          const isDone = classified.ending === 'done';
          if (isDone) expect(result?.stopReason).toBe('end_turn');
          const lastWords = events.findLastIndex((one) => one.type === 'message' && one.role === 'assistant');
          if (isDone) expect(lastWords).toBeGreaterThan(events.findLastIndex(({ type }) => type === 'tool_result'));
        }),
        { numRuns: 30 },
      );
    },
  );
});

describe('tokens', () => {
  const usageIn = (name: string, usage: object) =>
    usageOf(readTurn(name, says('Done.'), ends({ stopReason: 'end_turn', usage })).events);

  it.each([
    ['inside', { totalTokens: 15 }, { input: 6, output: 5 }],
    ['outside', { totalTokens: 19 }, { input: 10, output: 5 }],
    ['somewhere', { totalTokens: 17 }, { input: null, output: 5 }],
    ['somewhere', {}, { input: null, output: 5 }],
  ])('from a cache are %s the input: %j', (_, total, expected) => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 1, ...total };
    expect(usageIn('codex', usage)).toMatchObject({ ...expected, cache_read: 3, cache_write: 1 });
  });

  it.each([
    [15, { input: 6, output: 3, reasoning: 2 }],
    [17, { input: 6, output: 5, reasoning: 2 }],
    [19, { input: 10, output: 3, reasoning: 2 }],
    [21, { input: 10, output: 5, reasoning: 2 }],
  ])('of reasoning are a part of the output or not: %i in all', (totalTokens, expected) => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 4, thoughtTokens: 2, totalTokens };
    expect(usageIn('codex', usage)).toMatchObject(expected);
  });

  it('of a process are reported as their increase, from zero in each start', () => {
    const at = (input: number): string =>
      ends({ stopReason: 'end_turn', usage: { inputTokens: input, outputTokens: 5, totalTokens: input + 5 } });
    const one = turn(says('a'), at(10));
    const { events, pending } = read(agentOf('copilot'), [
      [...one, '{"acp":"prompt","id":9}', says('b'), at(30)],
      turn(says('c'), at(7)),
    ]);
    expect(ofType(events, 'usage').map(({ input }) => input)).toEqual([10, 20, 7]);
    expect(pending).toBe(false);
  });

  it('of vibe go on when its session is resumed', () => {
    const at = (input: number): string =>
      ends({ stopReason: 'end_turn', usage: { inputTokens: input, outputTokens: 5, totalTokens: input + 5 } });
    const { events } = read(agentOf('vibe'), [turn(says('a'), at(10)), turn(says('b'), at(30))]);
    expect(ofType(events, 'usage').map(({ input }) => input)).toEqual([10, 20]);
  });

  it.each(['copilot', 'qwen', 'kimi', 'opencode', 'pi'])('of %s are incomplete if it was killed', (name) => {
    expect(readTurn(name, says('I am working.')).pending).toBe(true);
  });

  it.each(['pi', 'kimi', 'vibe', 'opencode'])('of %s are never taken for all', (name) => {
    expect(readTurn(name, says('Done.'), OK).pending).toBe(true);
  });
});

describe('the launch', () => {
  const access = { key: 'the-key', baseUrl: 'http://proxy' };
  const launch = (name: string, model = 'openai/gpt-5.5', changes = {}) =>
    agentOf(name).launch({ ...REQUEST, access, model, ...changes });

  it('gives the prompt to our program, which starts the agent', () => {
    const { argv, program, stdin, files } = launch('copilot', 'openai/m', { system: 'Be brief.' });
    expect(argv.slice(2)).toEqual(['/run/config/acp.json', 'copilot', '--acp', '--no-auto-update']);
    expect([program, stdin]).toEqual(['copilot', 'Be brief.\n\n- Do it\nnow']);
    expect(JSON.parse(files.at(-1)?.content ?? '')).toMatchObject({
      cwd: '/run/fixture',
      mode: null,
      options: { allow_all: 'on' },
      model: null,
      resume: null,
    });
  });

  it.each(['copilot', 'qwen', 'kimi', 'vibe', 'hermes', 'fast-agent', 'opencode', 'codex'])(
    'of %s has the key in a variable, and in no file',
    (name) => {
      const { env, files, argv } = launch(name);
      expect(Object.values(env)).toContain('the-key');
      expect(JSON.stringify([files, argv])).not.toContain('the-key');
      expect(JSON.stringify([files, argv, env])).toContain('gpt-5.5');
      expect(JSON.stringify([files, env])).toContain('http://proxy');
    },
  );

  it('gives MCP servers to the session', () => {
    const mcpServers = [{ name: 'files', command: 'node', args: ['x'], env: { A: 'b' } }];
    const asked = JSON.parse(launch('qwen', undefined, { mcpServers }).files.at(-1)?.content ?? '') as object;
    expect(asked).toMatchObject({
      mcpServers: [{ name: 'files', command: 'node', args: ['x'], env: [{ name: 'A', value: 'b' }] }],
    });
    expect(agentOf('copilot').mcpProblem).toMatch(/does not start/);
  });

  it('has places for skills and instructions in private folders, if they are known', () => {
    const places = (name: string): unknown => {
      const { subject } = agentOf(name);
      return typeof subject === 'string' ? null : [subject.skill(REQUEST), subject.instructions(REQUEST)];
    };
    expect(places('kimi')).toEqual(['/run/config/kimi/skills', '/run/config/kimi/AGENTS.md']);
    expect(places('qwen')).toEqual(['/run/home/.qwen/skills', '/run/home/.qwen/QWEN.md']);
    expect(['fast-agent', 'pi'].map(places)).toEqual([null, null]);
  });

  it('resumes by what the agent can do, or not at all', () => {
    const how = (name: string): unknown => {
      const files = agentOf(name).resume?.({ ...REQUEST, model: 'openai/m' }, 'old').files;
      return files === undefined ? null : (JSON.parse(files.at(-1)?.content ?? '') as { resume: unknown }).resume;
    };
    expect(['vibe', 'copilot', 'hermes'].map(how)).toEqual(
      ['resume', 'load', 'listed'].map((by) => ({ session: 'old', by })),
    );
    expect(['gemini', 'fast-agent', 'pi'].map(how)).toEqual([null, null, null]);
  });

  it('is refused where there is no Node for our program', () => {
    expect(() => launch('qwen', undefined, { hasNode: false })).toThrow('cannot run in a container');
    const problemAt = (_: unknown, message: string) => ({ message }) as Problem;
    const variant = { scenario: { environment: { type: 'e2b', template: 'base' } }, problemAt };
    const problems = (agent: string): string[] =>
      misfits(knownAgents({}), [agent], variant as unknown as SelectedVariant).map(({ message }) => message);
    expect(problems('qwen')).toEqual(['the agent qwen cannot run in environment.type e2b; use local or bubblewrap']);
    expect(problems('codex')).toEqual([]);
  });

  it('of an agent of the config chooses the model in the session, unless an argument names it', () => {
    const own = (args: string[]) => {
      const agent = acpAgent('own', UNTRIED, {
        ...NO_SETTINGS,
        command: 'own',
        args,
        mode: 'auto',
        options: { a: 'b' },
      });
      const { argv, files } = agent.launch({ ...REQUEST, model: 'large' });
      return [argv.slice(3), JSON.parse(files.at(-1)?.content ?? '')] as const;
    };
    expect(own(['--acp'])).toMatchObject([['own', '--acp'], { model: 'large', mode: 'auto', options: { a: 'b' } }]);
    expect(own(['-m', '{model}'])).toMatchObject([['own', '-m', 'large'], { model: null }]);
  });

  it.each([
    ['qwen', 'gpt', /with its provider/],
    ['qwen', 'anthropic/claude', /Chat Completions API, which anthropic does not offer/],
    ['copilot', 'google/gemini', /which google does not offer/],
    ['copilot', 'anthropic/claude', null],
    ['gemini', 'openai/gpt', /Google/],
    ['pi', 'anything', null],
  ])('of %s with %s', (name, model, problem) => {
    const found = agentOf(name).modelProblem(model);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });
});
