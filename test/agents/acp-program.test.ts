import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type AcpFile, NO_SESSION_STATUS } from '../../src/agents/acp/acp-file.js';
import { acpAgent } from '../../src/agents/acp/acp.js';
import { UNTRIED } from '../../src/agents/acp/presets.js';
import { createEndTracker } from '../../src/agents/streams/contradictions.js';
import { until } from '../commands/project.js';
import { compileSources } from '../host/compiled.js';
import { newFolder } from '../host/temporary.js';
import { NO_SETTINGS } from './requests.js';

const compiled = await compileSources();
const scripted = new URL('./scripted-acp-agent.mjs', import.meta.url).pathname;
const FILE: AcpFile = {
  cwd: '/run/fixture',
  mcpServers: [],
  mode: null,
  options: {},
  model: null,
  resume: null,
  limits: { initialize: 20_000, session: 20_000, end: 20_000 },
};
const agent = acpAgent('scripted', UNTRIED, NO_SETTINGS);

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number };
}

/** Has acp-program talk with a scripted agent. */
async function begin(behaviour: object, file: Partial<AcpFile> = {}, node: string[] = [], command?: string[]) {
  const folder = await newFolder();
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('acp.json'), JSON.stringify({ ...FILE, ...file }));
  const called = command ?? [process.execPath, scripted, JSON.stringify(behaviour), at('received')];
  const program = spawn(
    process.execPath,
    [...node, compiled.file('agents/acp/acp-program.js'), at('acp.json'), ...called],
    // To a file, as under the supervisor.
    { stdio: ['pipe', openSync(at('out'), 'w'), 'pipe'], timeout: 60_000 },
  );
  program.stdin?.end('the prompt');
  const said = text(program.stderr ?? Readable.from([]));
  const ended = once(program, 'exit').then(async ([exitCode]) => ({
    exitCode: exitCode as number,
    stderr: await said,
  }));
  // The last line may be written at this moment.
  const received = (): Message[] =>
    (existsSync(at('received')) ? readFileSync(at('received'), 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  return { program, ended, received, out: at('out') };
}

async function talk(...given: Parameters<typeof begin>) {
  const { ended, received, out } = await begin(...given);
  const { exitCode, stderr } = await ended;
  const lines = readFileSync(out, 'utf8').split('\n').slice(0, -1);
  const parser = agent.parser();
  const end = createEndTracker();
  const events = [...lines.flatMap((line) => parser.line(line)), ...parser.end()];
  for (const event of events) end.add(event);
  const classified = agent.classify({
    exitCode,
    stopped: null,
    at: 0,
    stderr,
    ...end.read(),
  });
  return { exitCode, lines, events, classified, received: received() };
}

const methods = (received: readonly Message[]): (string | undefined)[] => received.map(({ method }) => method);

describe('the client of agents that speak ACP', () => {
  it('sets up a session as its file says, and sends the prompt', async () => {
    const mcpServers = [{ name: 'files', command: 'files', args: ['-v'], env: [{ name: 'A', value: 'b' }] }];
    const { received, exitCode, classified, events } = await talk(
      {},
      { mcpServers, mode: 'yolo', options: { allow: 'on' }, model: 'large' },
    );
    expect([exitCode, classified.ending]).toEqual([0, 'done']);
    expect(received.map(({ method, params }) => [method, params])).toEqual([
      ['initialize', expect.objectContaining({ protocolVersion: 1 })],
      ['session/new', { cwd: '/run/fixture', mcpServers }],
      ['session/set_mode', { sessionId: 's', modeId: 'yolo' }],
      ['session/set_config_option', { sessionId: 's', configId: 'allow', value: 'on' }],
      ['session/set_config_option', { sessionId: 's', configId: 'model', value: 'large' }],
      ['session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'the prompt' }] }],
    ]);
    expect(received[0]?.params?.['clientCapabilities']).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
    expect(events[0]).toMatchObject({ type: 'session', session_id: 's', model_requested: 'large' });
  });

  it('chooses the model in the way that the agent offers', async () => {
    const { received } = await talk({ answers: { 'session/new': { sessionId: 's' } } }, { model: 'large' });
    expect(received.find(({ method }) => method === 'session/set_model')?.params).toEqual({
      sessionId: 's',
      modelId: 'large',
    });
  });

  it.each([
    [['reject_once', 'allow_always', 'allow_once'], 'allow_once'],
    [['reject_always', 'allow_always'], 'allow_always'],
    [['reject_once', 'reject_always'], null],
    [[], null],
  ])('answers a question for permission with %j by %s', async (kinds, chosen) => {
    const options = kinds.map((kind) => ({ optionId: `the ${kind}`, kind }));
    const ask = { method: 'session/request_permission', params: { sessionId: 's', options } };
    const { received, classified } = await talk({ asks: [ask] });
    const answer = received.find(({ id }) => id === 'ask-0')?.result;
    const selected = { outcome: 'selected', optionId: `the ${chosen ?? ''}` };
    expect(answer).toEqual({ outcome: chosen === null ? { outcome: 'cancelled' } : selected });
    expect(classified.ending).toBe('done');
  });

  it('refuses all other requests at once, as it has declared nothing', async () => {
    const asked = ['fs/read_text_file', 'terminal/create', 'craft/drainMidTurnQueue', 'elicitation/create'];
    const { received, classified } = await talk({ asks: asked.map((method) => ({ method, params: {} })) });
    expect(received.flatMap(({ error }) => error?.code ?? [])).toEqual(asked.map(() => -32_601));
    expect(classified.ending).toBe('done');
  });

  it('passes on every line of the agent as it is, except its list of commands', async () => {
    const noise = [
      'npm notice  a new version',
      '{"half": ',
      '  {"jsonrpc":"2.0", "method":"x/y",  "params":{"é":1e2}}',
      '',
    ];
    const update = { sessionUpdate: 'available_commands_update', availableCommands: [] };
    const commands = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update } });
    const { lines, classified } = await talk({ before: { 'session/prompt': [...noise, commands] } });
    const from = lines.findIndex((line) => line.includes('"prompt"')) + 1;
    expect(lines.slice(from, from + noise.length)).toEqual(noise);
    expect(lines.some((line) => line.includes('available_commands'))).toBe(false);
    expect(classified.ending).toBe('done');
  });

  it.each([
    ['initialize', { initialize: 200 }],
    ['session/new', { session: 200 }],
  ])('gives up if %s is never answered', async (method, limit) => {
    const { exitCode, classified } = await talk({ silent: [method] }, { limits: { ...FILE.limits, ...limit } });
    expect(exitCode).toBe(NO_SESSION_STATUS);
    expect(classified).toEqual({
      ending: 'unable',
      message: `${method}: it did not answer ${method} within 0 s`,
      again: null,
    });
  });

  it.each([
    ['session/new', -32_000, 'Authentication required', 'its key was refused: session/new: Authentication required'],
    ['session/set_mode', -32_602, 'Unknown mode', 'session/set_mode {"sessionId":"s","modeId":"m"}: Unknown mode'],
  ])('reports a refusal of %s (%i)', async (method, code, text, message) => {
    const { exitCode, classified, received } = await talk(
      { errors: { [method]: { code, message: text } } },
      { mode: 'm' },
    );
    expect([exitCode, classified]).toEqual([NO_SESSION_STATUS, { ending: 'unable', message, again: null }]);
    expect(methods(received)).not.toContain('session/prompt');
  });

  it('refuses an agent that speaks another version of the protocol', async () => {
    const { classified } = await talk({ answers: { initialize: { protocolVersion: 2 } } });
    expect(classified.message).toBe('initialize: it speaks version 2 of the protocol, not 1');
  });

  it.each([
    ['in its prompt', { at: 'session/prompt', status: 3 }, 3, 'crashed'],
    ['in its prompt, successfully', { at: 'session/prompt', status: 0 }, 0, 'crashed'],
    ['in its prompt, killed', { at: 'session/prompt', signal: 'SIGKILL' }, 137, 'unable'],
    ['before its session', { at: 'session/new', status: 1 }, NO_SESSION_STATUS, 'unable'],
    ['before its session, killed', { at: 'initialize', signal: 'SIGKILL' }, 137, 'unable'],
  ])('ends as an agent that dies %s', async (_, dies, status, ending) => {
    const { exitCode, classified } = await talk({ dies });
    expect([exitCode, classified.ending]).toEqual([status, ending]);
  });

  it('exits with 127 if the agent is missing', async () => {
    const { exitCode, classified } = await talk({}, {}, [], ['/nowhere/agent']);
    expect([exitCode, classified.ending]).toEqual([127, 'unable']);
  });

  it('kills an agent that goes on after its input has ended', async () => {
    const { exitCode, classified, lines } = await talk({ ignoresEnd: true }, { limits: { ...FILE.limits, end: 200 } });
    expect([exitCode, classified.ending]).toEqual([0, 'done']);
    expect(lines.at(-1)).toBe('{"acp":"ended","exit":137}');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('cancels the turn when it is stopped by %s', async (signal) => {
    const { program, ended, received, out } = await begin({ silent: ['session/prompt'] });
    await until('the prompt', () => methods(received()).includes('session/prompt') || null);
    program.kill(signal);
    const { exitCode } = await ended;
    expect(exitCode).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(methods(received())).toContain('session/cancel');
    expect(readFileSync(out, 'utf8')).toContain('"stopReason":"cancelled"');
  });

  it.each([
    ['resume', {}, ['session/resume']],
    ['resume', { 'session/resume': { code: -32_601, message: 'no' } }, ['session/resume', 'session/load']],
    ['load', {}, ['session/load']],
    ['listed', {}, ['session/list', 'session/load']],
  ] as const)('continues a session by %s', async (by, errors, asked) => {
    const history = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'said before' } };
    const replay = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update: history } });
    const { received, events, classified } = await talk(
      { errors, before: { 'session/load': [replay], 'session/resume': [replay] } },
      { resume: { session: 'known', by } },
    );
    expect(methods(received)).toEqual(['initialize', ...asked, 'session/prompt']);
    expect(received.at(-1)?.params?.['sessionId']).toBe('known');
    expect(JSON.stringify(events)).not.toContain('said before');
    expect(classified.ending).toBe('done');
  });

  it.each([
    ['listed', {}],
    ['load', { 'session/load': { code: -32_602, message: 'Unknown' } }],
    ['resume', { 'session/resume': { code: -32_602, message: 'Unknown' } }],
  ] as const)('asks for a new session if there is none to continue by %s', async (by, errors) => {
    const { exitCode, classified, received } = await talk({ errors }, { resume: { session: 'lost', by } });
    expect([exitCode, classified.again?.why]).toEqual([NO_SESSION_STATUS, 'session']);
    expect(methods(received)).not.toContain('session/prompt');
  });

  it('needs no more memory for more output', async () => {
    const folder = await newFolder();
    const peak = join(folder, 'peak');
    const watcher = join(folder, 'watch.mjs');
    const report = `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`;
    writeFileSync(watcher, report);
    const { ended, out } = await begin({ floods: 100 }, {}, ['--import', watcher]);
    expect((await ended).exitCode).toBe(0);
    expect(statSync(out).size).toBeGreaterThan(100 * 1024 * 1024);
    expect(Number(readFileSync(peak, 'utf8')) / 1024).toBeLessThan(300);
  });
});
