import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { incompleteAnswer } from '../../../src/activities/agent/session-log.js';
import type { Agent, Classified, McpProgram } from '../../../src/agents/agent.js';
import { createEndTracker } from '../../../src/agents/streams/contradictions.js';
import { isUnexplained } from '../../../src/agents/streams/stream-events.js';
import { local } from '../../../src/environments/local.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { REPOSITORY, until } from '../../commands/project.js';
import { newFolder } from '../../host/temporary.js';
import type { Cause, Expected } from '../causes.js';
import { type ModelServer, startModelServer } from '../model-server/server.js';

const ACP_PROGRAM = join(REPOSITORY, 'dist/acp-program.js');

/** A real agent, and what it is asked. */
interface Tried {
  agent: Agent;
  model: string;
  causeName: string;
  cause: Cause;
  expected: Expected;
  mcpServers?: McpProgram[];
}

/** The end of an agent, what it printed, and the requests that it made. */
interface Ended {
  classified: Classified;
  events: EventBody[];
  isUsagePending: boolean;
  requests: ModelServer['requests'];
}

/** Starts a real agent as its adapter does, without a supervisor, and classifies its end. */
export async function endOf({ agent, model, causeName, cause, expected, mcpServers }: Tried): Promise<Ended> {
  const { script, address, deadlineSecs = 120, kills = false } = cause;
  const root = await newFolder();
  const at = (part: string): string => join(root, part);
  const server = await startModelServer([script]);
  try {
    const launch = agent.launch({
      prompt: 'Make out.txt.',
      model,
      system: null,
      mock: null,
      mcpServers,
      hasNode: true,
      workspace: at('fixture'),
      home: at('home'),
      config: at('config'),
      maxTurns: null,
      sessionId: '8b3ce0bf-7d09-4095-aa4f-3e72ea044e33',
      access: { key: 'key-of-the-test', baseUrl: address?.(server.url) ?? server.url },
    });
    for (const folder of ['fixture', 'home', 'config']) await mkdir(at(folder));
    for (const { path, content } of launch.files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    // The source of this program of ours has no file to run.
    const [command = '', ...args] = launch.argv.map((arg) => (basename(arg) === 'acp-program.js' ? ACP_PROGRAM : arg));
    const running = execa(command, args, {
      cwd: at('fixture'),
      env: { PATH: process.env['PATH'], HOME: at('home'), TMPDIR: root, TERM: 'dumb', ...launch.env },
      extendEnv: false,
      reject: false,
      detached: true,
      cleanup: false,
      input: launch.stdin,
      stdout: { file: at('out') },
      stderr: { file: at('err') },
    });
    const killAll = (): void => {
      try {
        process.kill(-(running.pid ?? 0), 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    onTestFinished(killAll);
    const folders = { home: at('home'), config: at('config') };
    const printed = async () => {
      const [stdout, stderr] = await Promise.all(
        ['out', 'err'].map((file) => readFile(at(file), 'utf8')) as [Promise<string>, Promise<string>],
      );
      return { stdout, stderr, printedAt: (await stat(at('out'))).mtimeMs };
    };
    const ended = async (
      exitCode: number,
      stopped: 'deadline' | null,
      { stdout, stderr, printedAt }: Awaited<ReturnType<typeof printed>>,
    ): Promise<Ended> => {
      const end = createEndTracker();
      const parser = agent.parser();
      const lines = stdout.split('\n').filter((line) => line !== '');
      const events = [...lines.flatMap((line) => parser.line(line)), ...parser.end()];
      for (const event of events) end.add(event);
      const workspace = at('fixture');
      const handle = {
        type: 'local' as const,
        root,
        workspace,
        mark: 'causes',
        journal: root,
        hidden: [],
        project: root,
      };
      const session = events.findLast((event) => event.type === 'session')?.session_id ?? null;
      const place = { agent, handle, ...folders, baseEnv: { PATH: process.env['PATH'] ?? '' } };
      const incomplete = await incompleteAnswer(place, local, session);
      if (incomplete !== null && isUnexplained(end.read())) end.add(incomplete);
      const classified = agent.classify({ exitCode, stopped, at: Date.now(), printedAt, stderr, ...end.read() });
      return { classified, events, isUsagePending: parser.usagePending(), requests: server.requests };
    };
    if (kills) {
      await until('the agent works', async () => ((await isThere(at('fixture/out.txt'))) ? true : null));
      killAll();
    }
    const agentHas = { exited: false };
    const exit = running.then((result) => {
      agentHas.exited = true;
      return result;
    });
    await Promise.race([exit, sleep(deadlineSecs * 1000, undefined, { ref: false })]);
    // On a busy machine an agent may need that long to start.
    const shown = async (): Promise<boolean> =>
      expected[0] === 'timeout'
        ? isThere(at('fixture/out.txt'))
        : (await ended(137, 'deadline', await printed())).classified.ending !== 'timeout';
    await until('the agent meets the cause', async () => (agentHas.exited || (await shown()) ? true : null));
    const stopped = agentHas.exited ? null : 'deadline';
    killAll();
    const { exitCode = null, signal = null } = await exit;
    const output = await printed();
    const source = agent.lastAnswer;
    const records = ['-n', source?.records ?? '', source?.log(folders, 'none') ?? ''];
    const { stdout: log } = await execa('sed', records, { reject: false });
    await keepCapture(`${agent.name}-${causeName}`, root, {
      ...output,
      log,
      end: {
        exit_code: exitCode,
        signal,
        printed_at: new Date(output.printedAt).toISOString(),
        ...(stopped === null ? {} : { stopped }),
      },
    });
    return await ended(exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'], stopped, output);
  } finally {
    await server.close();
  }
}
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Keeps what an agent printed as test data, if `KEEP_CAPTURES` names a folder for it. */
async function keepCapture(
  name: string,
  root: string,
  { stdout, stderr, log, end }: { stdout: string; stderr: string; log: string; end: unknown },
): Promise<void> {
  const { KEEP_CAPTURES: folder } = process.env;
  if (folder === undefined) return;
  const neutral = (text: string): string => text.replaceAll(root, '/run');
  await writeFile(join(folder, `${name}.jsonl`), neutral(stdout));
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(end)}\n`);
  if (log !== '') await writeFile(join(folder, `${name}.log`), log);
  if (stderr !== '') await writeFile(join(folder, `${name}.stderr`), neutral(stderr));
}
