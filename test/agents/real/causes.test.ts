import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { incompleteAnswer } from '../../../src/activities/agent/session-log.js';
import type { Classified } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { createEndTracker } from '../../../src/agents/streams/contradictions.js';
import { local } from '../../../src/environments/local.js';
import { until } from '../../commands/project.js';
import { newFolder } from '../../host/temporary.js';
import { CAUSES, expectedOf } from '../causes.js';
import { CLI_NAMES, type CliName, provideCli } from '../clis.js';
import { startModelServer } from '../model-server/server.js';
import { MODELS } from './models.js';

type Cause = (typeof CAUSES)[string];

it.each(Object.entries(CAUSES))('the real agents end as expected by the cause %s', async (name, cause) => {
  const ends = await Promise.all(
    CLI_NAMES.map(async (agent) => {
      const { ending, again, message } = await endOf(agent, name, cause);
      return { agent, end: [ending, again?.why ?? null] as const, message };
    }),
  );
  for (const { agent, end, message } of ends)
    console.log(`${name.padEnd(12)} ${agent.padEnd(11)} ${end.join(' ').padEnd(16)} ${message}`);
  const expected = CLI_NAMES.map((agent) => [agent, ...expectedOf(cause, agent)]);
  expect(ends.map(({ agent, end }) => [agent, ...end])).toEqual(expected);
});

/** Starts a real agent as its adapter does, without a supervisor, and classifies its end. */
async function endOf(name: CliName, causeName: string, cause: Cause): Promise<Classified> {
  const { script, address, deadlineSecs = 120, kills = false } = cause;
  const program = await provideCli(name, console.log);
  const agent = knownAgents({ [name]: { command: program, args: [], models: [], env: {} } }).get(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  const root = await newFolder();
  const at = (part: string): string => join(root, part);
  const server = await startModelServer([script]);
  try {
    const launch = agent.launch({
      prompt: 'Make out.txt.',
      model: MODELS[name],
      system: null,
      mock: null,
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
    const [command = '', ...args] = launch.argv;
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
    const classified = async (
      exitCode: number,
      stopped: 'deadline' | null,
      { stdout, stderr, printedAt }: Awaited<ReturnType<typeof printed>>,
    ): Promise<Classified> => {
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
      if (incomplete !== null && end.read().result?.ending === 'done') end.add(incomplete);
      return agent.classify({ exitCode, stopped, at: Date.now(), printedAt, stderr, ...end.read() });
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
      expectedOf(cause, name)[0] === 'timeout'
        ? isThere(at('fixture/out.txt'))
        : (await classified(137, 'deadline', await printed())).ending !== 'timeout';
    await until('the agent meets the cause', async () => (agentHas.exited || (await shown()) ? true : null));
    const stopped = agentHas.exited ? null : 'deadline';
    killAll();
    const { exitCode = null, signal = null } = await exit;
    const output = await printed();
    const source = agent.lastAnswer;
    const records = ['-n', source?.records ?? '', source?.log(folders) ?? ''];
    const { stdout: log } = await execa('sed', records, { reject: false });
    await keepCapture(`${name}-${causeName}`, root, {
      ...output,
      log,
      end: {
        exit_code: exitCode,
        signal,
        printed_at: new Date(output.printedAt).toISOString(),
        ...(stopped === null ? {} : { stopped }),
      },
    });
    return await classified(exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'], stopped, output);
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
