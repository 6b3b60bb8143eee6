import { lstat, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { checkGate, GateSpec } from '../../src/gates/all-gates.js';
import type { FileStat, GateContext, GateQuestion, Verdict } from '../../src/gates/gate.js';
import { doWork } from '../../src/gates/work.js';
import type { Json } from '../../src/lib/json.js';
import type { CommandResult } from '../../src/lib/commands/command.js';
import type { Turn } from '../../src/model/records/conversation.js';
import type { Efficiency } from '../../src/model/records/result-line.js';
import type { Trajectory } from '../../src/model/transcript/trajectory.js';
import { explain } from '../../src/input/explain.js';

/** A new workspace that is gone when the test is over. */
export async function newWorkspace(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gates-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function exec(
  workspace: string,
  command: string,
  timeoutSecs: number,
  { cap, env }: Required<Pick<Given, 'cap' | 'env'>>,
): Promise<CommandResult> {
  const result = await execa('sh', ['-c', command], {
    cwd: workspace,
    env,
    reject: false,
    timeout: timeoutSecs * 1000,
    killSignal: 'SIGKILL',
    encoding: 'buffer',
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  return {
    exitCode: result.exitCode ?? null,
    timedOut: result.timedOut,
    stdout: Buffer.from(result.stdout.subarray(0, cap)).toString('utf8'),
    stderr: Buffer.from(result.stderr.subarray(0, cap)).toString('utf8'),
    stdoutBytes: result.stdout.length,
    stderrBytes: result.stderr.length,
    durationMs: result.durationMs,
  };
}

async function look(workspace: string, path: string): Promise<FileStat> {
  try {
    const target = await realpath(join(workspace, path));
    if (target !== workspace && !target.startsWith(`${workspace}/`)) return { kind: 'outside' };
    if ((await lstat(target)).isDirectory()) return { kind: 'directory' };
    const bytes = await readFile(target);
    const text = (): string | null => {
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        return null;
      }
    };
    return { kind: 'file', bytes: bytes.length, text: () => Promise.resolve(text()) };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'unreadable', reason: code };
  }
}

interface Given {
  cap?: number;
  env?: Record<string, string>;
  efficiency?: Efficiency | null;
  trajectory?: Trajectory | null;
  durationMs?: number | null;
  turns?: Turn[] | null;
  /** The names of the skills under test. */
  skills?: string[];
  /** The checks folder. */
  checks?: string | null;
  /** The answers of the model: one vote each. */
  answers?: Record<string, Json>[];
  /** Where the questions to the model are recorded. */
  asked?: Omit<GateQuestion<unknown>, 'read'>[];
}

/** A model that gives these answers. An unusable one is an error, as it is after several tries in a run. */
const answering =
  ({ answers = [], asked = [] }: Pick<Given, 'answers' | 'asked'>): GateContext['ask'] =>
  ({ read, ...question }) => {
    asked.push(question);
    return Promise.all(
      answers.slice(0, question.votes).map((answer) => {
        const found = read(answer);
        return found.ok ? Promise.resolve(found.answer) : Promise.reject(new Error(found.problem));
      }),
    );
  };

/** Real processes and real files; only what is known of the agent is given. */
export function realContext(workspace: string, given: Given = {}): GateContext {
  const { cap = 1024 * 1024, env = {}, efficiency = null, trajectory = null } = given;
  const { skills = [], durationMs = null, turns = null, checks = null } = given;
  return {
    exec: (command, timeoutSecs) => exec(workspace, command, timeoutSecs, { cap, env }),
    verify: () => Promise.resolve(null),
    rewards: () => Promise.resolve([]),
    look: (path) => look(workspace, path),
    expected: (path) => (checks === null ? Promise.resolve({ kind: 'missing' }) : look(checks, path)),
    work: (kind, input) => Promise.resolve(doWork(kind, input)),
    efficiency: () => Promise.resolve(efficiency),
    trajectory: () => Promise.resolve(trajectory),
    skills: () => skills,
    turns: () => Promise.resolve(turns),
    durationMs: () => Promise.resolve(durationMs),
    ask: answering(given),
  };
}

/** Validates a gate as a scenario would and checks it in a workspace (an empty one where none is given). */
export async function check(gate: object, context?: GateContext): Promise<Verdict> {
  return checkGate(GateSpec.parse(gate), context ?? realContext(await newWorkspace()));
}

/** The errors of a gate as "field: message", [] where it is valid. */
export function errorsOf(gate: unknown): string[] {
  const result = GateSpec.safeParse(gate, {
    reportInput: true,
    error: (issue) => explain(issue, { map: 'a map', list: 'a list' }),
  });
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}
