import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stdout } from 'node:process';
import { execa } from 'execa';
import {
  DENO_ENV,
  type Example,
  exampleProblem,
  NO_DENO,
  parseDenoCommand,
  placeholderIn,
  readmeProblems,
  sourceProblems,
} from '#agent-scripts';
import { findDeno, runCommand } from '#host';
import { codeFrame, counted, fileProblem, formatProblem, InfrastructureError, type Problem } from '#lib';
import { isFile, isFolder, readText } from '#planning';
import { printJson } from '../shared/output.js';
import { findScript, findScriptsRoot, type FoundScript, listScripts } from './find-scripts.js';

/**
 * `scripts check`: checks README, source and answers of scripts against the contract, and reports all problems. Returns
 * the exit code, 1 if there are any.
 */
export async function checkAgentScripts(name: string | undefined, { json }: { json: boolean }): Promise<number> {
  const root = findScriptsRoot();
  const scripts = name === undefined ? listScripts(root) : [findScript(root, name)];
  const deno = findDeno(root);
  if (deno === null) throw new InfrastructureError(NO_DENO);
  const problems: Problem[] = [];
  for (const script of scripts) problems.push(...(await problemsOf(root, script, deno)));
  if (json) printJson({ valid: problems.length === 0, scripts: scripts.map((script) => script.name), problems });
  else stdout.write(describe(root, scripts.length, problems));
  return problems.length === 0 ? 0 : 1;
}

async function problemsOf(root: string, script: FoundScript, deno: string): Promise<Problem[]> {
  const missing = [script.source, script.readme].filter((file) => !isFile(join(root, file)));
  if (missing.length > 0 || script.parsedReadme === null) return missing.map((file) => fileProblem(file, 'missing'));
  return [
    ...readmeProblems(script.parsedReadme, script).map((problem) => ({
      file: script.readme,
      column: 1,
      path: '',
      ...problem,
    })),
    ...sourceProblems(script.parsedReadme, script, (path) => readText(join(root, path))),
    ...(await runExamples(root, script, deno)),
  ];
}

function describe(root: string, count: number, problems: Problem[]): string {
  const framed = problems.map((problem) => {
    const text = readText(join(root, problem.file));
    return `${formatProblem(problem)}\n${text === null ? '' : `${codeFrame(text, problem.line, problem.column)}\n`}`;
  });
  const of = counted(count, 'script');
  const end =
    problems.length === 0
      ? `${of}: README, source and examples agree`
      : `${counted(problems.length, 'problem')} in ${of}`;
  return [...framed, end, ''].join('\n');
}

const EXAMPLE_SECS = 30;
const SERVER_SECS = 10;

/**
 * Runs the examples of a script in order, in a private folder with a copy of `.agents` and of the script's `example`
 * folder. If that has a serve.ts, it runs meanwhile, in place of the services that the script would use over the
 * network.
 */
export async function runExamples(root: string, script: FoundScript, deno: string): Promise<Problem[]> {
  const { parsedReadme, folder } = script;
  if (parsedReadme === null || parsedReadme.examples.length === 0) return [];
  const copy = await mkdtemp(join(tmpdir(), 'llm-tool-test-scripts-'));
  const programs = await mkdtemp(join(tmpdir(), 'llm-tool-test-deno-'));
  try {
    await symlink(deno, join(programs, 'deno'));
    await cp(join(root, '.agents'), join(copy, '.agents'), { recursive: true });
    const example = join(root, folder, 'example');
    await mkdir(copy, { recursive: true });
    if (isFolder(example)) await cp(example, copy, { recursive: true });
    const env = {
      ...(process.env as Record<string, string>),
      PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`,
      ...DENO_ENV,
      // Deno uses a proxy for loopback addresses too
      NO_PROXY: ['127.0.0.1', process.env['NO_PROXY'] ?? ''].filter((part) => part !== '').join(','),
    };
    const server = isFile(join(copy, 'serve.ts')) ? await startServer(copy, deno, env) : null;
    const problemAt = (line: number, message: string): Problem => ({
      file: script.readme,
      line,
      column: 1,
      path: '',
      message,
    });
    try {
      if (typeof server === 'string') return [problemAt(1, `example/serve.ts ${server}`)];
      const problems: Problem[] = [];
      for (const each of parsedReadme.examples.filter(isRunnable)) {
        const result = await runCommand({
          command: each.command,
          cwd: copy,
          env,
          timeoutMs: EXAMPLE_SECS * 1000,
        });
        const message = exampleProblem(parsedReadme, each, result, EXAMPLE_SECS);
        if (message !== null) problems.push(problemAt(each.line, message));
      }
      return problems;
    } finally {
      if (server !== null && typeof server !== 'string') await server.stop();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
    await rm(programs, { recursive: true, force: true });
  }
}

/** Other examples are reported as problems of the README. */
function isRunnable({ command }: Example): boolean {
  const parsed = parseDenoCommand(command);
  return typeof parsed !== 'string' && placeholderIn(parsed) === undefined;
}

/** Starts serve.ts and waits until it prints something. Returns the reason if it ends or stays silent instead. */
async function startServer(
  cwd: string,
  deno: string,
  env: Record<string, string>,
): Promise<{ stop: () => Promise<void> } | string> {
  const flags = ['--allow-net=127.0.0.1', '--allow-read=.', '--allow-write=.agents/config.json'];
  const server = execa(deno, ['run', ...flags, 'serve.ts'], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    buffer: { stderr: true, stdout: false },
    stdin: 'ignore',
  });
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await server;
  };
  const outcome = await Promise.race([
    new Promise<'ready'>((resolve) =>
      server.stdout.once('data', () => {
        resolve('ready');
      }),
    ),
    server.then(({ stderr }) => `ended before it was ready: ${stderr.trim().split('\n').at(-1) ?? ''}`),
    new Promise<string>((resolve) => {
      setTimeout(() => {
        resolve(`said nothing for ${SERVER_SECS} s`);
      }, SERVER_SECS * 1000).unref();
    }),
  ]);
  if (outcome === 'ready') return { stop };
  await stop();
  return outcome;
}
