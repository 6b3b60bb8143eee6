import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import type { Agent, AgentRequest, Classified } from '../../src/agents/agent.js';
import type { HostedRun } from '../../src/agent-host/hosted.js';
import { createEndTracker } from '../../src/agents/streams/contradictions.js';
import { writeFileAtomic } from '../../src/host/fs/write-file.js';
import type { EventBody } from '../../src/model/records/events.js';
import type { CallRecord } from '../../src/mocks/mocks-file.js';
import { REPOSITORY } from '../commands/project.js';

const HOST = join(REPOSITORY, 'dist', 'host-program.js');

export interface HostTurn extends Partial<HostedRun> {
  input?: string;
  turn?: number;
  model?: string;
  access?: AgentRequest['access'];
  /** The Node that runs the host. */
  node?: string;
}

export interface HostEnd {
  events: EventBody[];
  /** Names of the actions, each with whether it failed. */
  actions: [name: string, failed: boolean][];
  /** The agent's messages to the user. */
  replies: string[];
  ending: Classified;
  stderr: string;
  calls: CallRecord[];
}

/** Starts an agent of the agent host in a folder, as a run would, and reads what it prints. */
export async function runHost(agent: Agent, folder: string, given: HostTurn): Promise<HostEnd> {
  const { input = 'hello', turn = 1, model = 'default', access = null, node = process.execPath, ...run } = given;
  const config = join(folder, 'config');
  const calls = join(config, 'mocked-calls');
  const request: AgentRequest = {
    prompt: input,
    model,
    workspace: folder,
    home: folder,
    config,
    turn,
    access,
    sessionId: 'session-1',
    maxTurns: null,
    system: null,
    mock: null,
    hasNode: true,
    hosted: {
      folder,
      reads: [],
      setup: null,
      variables: {},
      mocks: [],
      calls,
      seed: 'cell',
      agent: agent.name,
      scenario: 'test',
      ...run,
    },
  };
  const { argv, env, files } = turn === 1 ? agent.launch(request) : (agent.resume?.(request, 'session-1') ?? fail());
  for (const { path, content } of files) await writeFileAtomic(path, content);
  const [file = '', ...args] = argv.map((arg) =>
    arg === process.execPath ? node : basename(arg) === 'host-program.js' ? HOST : arg,
  );
  const ended = await execa(file, args, {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'] },
    extendEnv: false,
    reject: false,
  });
  const parser = agent.parser();
  const events = [...ended.stdout.split('\n').flatMap((line) => parser.line(line)), ...parser.end()];
  const tracker = createEndTracker();
  for (const event of events) tracker.add(event);
  const ending = agent.classify({
    exitCode: ended.exitCode ?? 137,
    stopped: null,
    at: Date.now(),
    stderr: ended.stderr,
    ...tracker.read(),
  });
  const failed = new Map(events.flatMap((one) => (one.type === 'tool_result' ? [[one.id, one.is_error]] : [])));
  return {
    events,
    actions: events.flatMap((one) => (one.type === 'tool_call' ? [[one.name, failed.get(one.id) ?? true]] : [])),
    replies: events.flatMap((one) => (one.type === 'message' && one.role === 'assistant' ? [one.text] : [])),
    ending,
    stderr: ended.stderr,
    calls: await readCalls(calls),
  };
}

async function readCalls(folder: string, number = 1): Promise<CallRecord[]> {
  const text = await readFile(join(folder, `${number}.json`), 'utf8').catch(() => null);
  return text === null ? [] : [JSON.parse(text) as CallRecord, ...(await readCalls(folder, number + 1))];
}

const fail = (): never => {
  throw new Error('the agent cannot resume a session');
};

/** Writes the files of a project into a folder. */
export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await writeFileAtomic(join(folder, path), content);
}
