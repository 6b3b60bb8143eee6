import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { REPOSITORY } from '../commands/project.js';

interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  with?: Record<string, string | boolean | number>;
  shell?: string;
  'working-directory'?: string;
  env?: Record<string, string>;
  run?: string;
}

export interface Action {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

export const actionText = readFileSync(join(REPOSITORY, 'action.yml'), 'utf8');
export const action = parse(actionText) as Action;

/** A job of GitHub Actions in which the action's steps run: its context, and the folders that it uses. */
export interface Job {
  inputs: Record<string, string>;
  github: Record<string, string>;
  workspace: string;
  /** Where the results that actions/cache stores are kept, between jobs. */
  cache: string;
  event: object;
  env: Record<string, string>;
}

export interface JobResult {
  failed: boolean;
  log: string;
  summary: string;
  outputs: Record<string, string>;
  /** The names of the steps that ran. */
  steps: string[];
}

type Context = Record<string, Record<string, string>>;

/**
 * Runs the steps of action.yml one after the other, as GitHub's runner does. Steps that use other actions copy folders.
 */
export async function runAction(job: Job): Promise<JobResult> {
  const temporary = await mkdtemp(join(job.cache, '..', 'runner-'));
  const file = (name: string): string => join(temporary, name);
  for (const name of ['summary', 'output']) await writeFile(file(name), '');
  await writeFile(file('event.json'), JSON.stringify(job.event));
  const context: Context = {
    inputs: { ...defaults(job.github), ...job.inputs },
    github: job.github,
    runner: { temp: temporary, os: 'Linux', arch: 'X64' },
  };
  const result: JobResult = { failed: false, log: '', summary: '', outputs: {}, steps: [] };
  for (const step of action.runs.steps) {
    const condition = step.if ?? '';
    if (result.failed && !condition.includes('always()')) continue;
    if (condition !== '' && evaluate(condition, context) !== true) continue;
    result.steps.push(step.name ?? '');
    if (step.uses !== undefined) {
      await useAction(step, context, job.cache);
      continue;
    }
    await writeFile(file('output'), '');
    const { exitCode, all } = await execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
      cwd: resolve(job.workspace, fill(step['working-directory'] ?? '.', context)),
      // Without the variables of whoever has started the tests: npm's, for example, say where npm installs.
      extendEnv: false,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...job.env,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: REPOSITORY,
        GITHUB_EVENT_PATH: file('event.json'),
        GITHUB_OUTPUT: file('output'),
        GITHUB_STEP_SUMMARY: file('summary'),
        RUNNER_TEMP: temporary,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, context)])),
      },
      reject: false,
      all: true,
    });
    result.log += `${all}\n`;
    result.failed ||= exitCode !== 0;
    if (step.id !== undefined) context[`steps.${step.id}.outputs`] = outputsIn(await readFile(file('output'), 'utf8'));
  }
  result.summary = await readFile(file('summary'), 'utf8');
  for (const [name, { value }] of Object.entries(action.outputs)) result.outputs[name] = fill(value, context);
  await rm(temporary, { recursive: true, force: true });
  return result;
}

const defaults = (github: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, fill(input.default, { github })]));

/** Replaces `${{ ... }}`. */
const fill = (text: string, context: Context): string =>
  text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluate(expression, context)));

/**
 * Evaluates an expression. Its operators are those of JavaScript; names stand for texts, which are empty if unknown.
 */
function evaluate(expression: string, context: Context): unknown {
  const code = expression
    .replace(/\b((?:inputs|github|runner|steps\.[\w-]+\.outputs))\.([\w-]+)/g, (_, of: string, name: string) =>
      JSON.stringify(context[of]?.[name] ?? ''),
    )
    .replace(/\balways\(\)/g, 'true');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- our own file
  return new Function(`return ${code}`)() as unknown;
}

function outputsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)<<(\S+)\n([^]*?)\n\2$/gm)].map(([, name = '', , value = '']) => [name, value]),
  );
}

/**
 * Does what actions/cache and actions/upload-artifact do: stores a folder under a key, restores that of the newest key
 * with a prefix, and keeps artifacts in the folder `artifacts`.
 */
async function useAction({ id, uses = '', with: values = {} }: Step, context: Context, cache: string): Promise<void> {
  const value = (name: string): string => fill(String(values[name] ?? ''), context);
  const [path, key, prefix] = [value('path'), value('key'), value('restore-keys')];
  if (uses.startsWith('actions/cache/save@')) await cp(path, join(cache, encodeURIComponent(key)), { recursive: true });
  else if (uses.startsWith('actions/upload-artifact@')) {
    const file = basename(path);
    const isArchive = value('archive') !== 'false';
    const name = isArchive ? value('name') : file;
    await cp(path, join(cache, '..', 'artifacts', name, isArchive ? file : ''), { recursive: true });
    if (id !== undefined)
      context[`steps.${id}.outputs`] = { 'artifact-url': `https://github.example/artifacts/${name}` };
  } else if (uses.startsWith('actions/cache/restore@')) {
    const found = readdirSync(cache)
      .map(decodeURIComponent)
      .filter((name) => name === key || (prefix !== '' && name.startsWith(prefix)))
      .sort()
      .at(-1);
    if (found !== undefined) await cp(join(cache, encodeURIComponent(found)), path, { recursive: true });
  } else if (!uses.startsWith('actions/cache@') || existsSync(join(path, 'never')))
    throw new Error(`unknown action: ${uses}`);
}
