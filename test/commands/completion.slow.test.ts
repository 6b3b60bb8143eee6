import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapterNames } from '../../src/agents/known-agents.js';
import { writePastSweep } from './past-sweep.js';
import { copyExamples, createProject, REPOSITORY, type TestProject } from './project.js';

/** The newest first, which is not the order of their names. */
const SWEEPS = ['20260101-000000-aaaa', 'nightly-20260102-000000-bbbb'] as const;
/** All agents that the project can name, in the order of the registry. */
const AGENTS = ['mock', 'oracle', 'nop', ...adapterNames, 'house'];
const CONFIG = `
[agents.house]
command = "house"
models = ["small", "large"]
[agents."; touch pwned"]
command = "x"
[profiles.quick]
agents = ["house"]
`;

let project: TestProject;
let path: string;
beforeAll(async () => {
  project = await createProject({ 'llm-tool-test-config.toml': CONFIG });
  await copyExamples(project);
  writePastSweep(project.results, null, { id: SWEEPS[0], daysAgo: 1 });
  writePastSweep(project.results, null, { id: SWEEPS[1], daysAgo: 2 });
  await mkdir(join(project.folder, 'bin'));
  await symlink(join(REPOSITORY, 'dist/cli.js'), join(project.folder, 'bin/llm-tool-test'));
  for (const shell of ['bash', 'zsh', 'fish'])
    await project.write(`completion/${shell}`, (await project.cli(['completion', shell])).stdout);
  path = `${join(project.folder, 'bin')}:${process.env['PATH'] ?? ''}`;
});
afterAll(() => project.remove());

/** Runs a script of a shell in the project's folder. */
async function inShell(shell: string, args: string[]): Promise<string[]> {
  const env = { ...project.env, PATH: path };
  const { stdout, stderr } = await execa(shell, args, { cwd: project.folder, env, stdin: 'ignore' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

/** A shell's offers for a line, given as the words that the shell splits it into; the last one is incomplete. */
type Offers = (words: string[]) => Promise<string[]>;

const inBash: Offers = (words) => {
  const script = `
    source completion/bash
    COMP_WORDS=(llm-tool-test "$@") COMP_CWORD=$#
    $(complete -p llm-tool-test | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return inShell('bash', ['--norc', '-c', script, 'bash', ...words]);
};

/** \`_describe\` and \`_files\` work only in an interactive shell, so here they print their arguments. */
const inZsh: Offers = (words) => {
  const script = `
    compdef() { registered=$2; }
    _describe() { print -rl -- "\${(@)\${(@P)2}%%:*}"; }
    _files() { print -r -- ":files"; }
    source completion/zsh
    words=($registered "$@") CURRENT=$(($# + 1))
    _llm_tool_test`;
  return inShell('zsh', ['-f', '-c', script, 'zsh', ...words]);
};

const inFish: Offers = async (words) => {
  const line = ['llm-tool-test', ...words].join(' ');
  const script = `source completion/fish; complete -C '${line}'`;
  const lines = await inShell('fish', ['--no-config', '-c', script]);
  return lines.map((offer) => offer.split('\t')[0] ?? '');
};

const isInstalled = (shell: string): boolean => !execaSync(shell, ['--version'], { reject: false }).failed;

describe.each([
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
])('completion in %s (where it is installed)', (shell, offers) => {
  test.skipIf(!isInstalled(shell)).each<[string, string[], string[]]>([
    ['a verb', ['pa'], ['pause']],
    ['a sub-verb', ['engine', 'st'], ['start', 'stop', 'status']],
    ['an option', ['run', '--ag'], ['--agents']],
    ['an agent of the config', ['run', '--agents', ''], AGENTS],
    ['an agent to try', ['doctor', '--try', 'ho'], ['house']],
    ['a profile', ['run', 'x', '--profile', 'q'], ['quick']],
    ['a sweep', ['resume', ''], [...SWEEPS]],
    ['a base sweep', ['compare', ''], [...SWEEPS]],
    ['a head sweep', ['compare', SWEEPS[1], ''], [...SWEEPS]],
    ['a shell', ['completion', 'b'], ['bash']],
    ['a format', ['report', 'latest', '--format', 'j'], ['json', 'junit']],
  ])('offers %s', async (_what, words, expected) => {
    const offered = await offers(words);
    expect([...offered].sort()).toEqual([...expected].sort());
  });
});

describe('completion in bash', () => {
  test('offers scenario names as well as files', async () => {
    expect(await inBash(['run', 'ex'])).toEqual(['example_basic']);
    expect(await inBash(['run', 'llm-tool-test-c'])).toEqual(['llm-tool-test-config.toml']);
  });

  test('offers only folders where a folder is expected', async () => {
    expect(await inBash(['init', ''])).toEqual(expect.arrayContaining(['fixtures', 'bin']) as string[]);
    expect(await inBash(['init', 'llm-tool-test-c'])).toEqual([]);
  });

  test('completes a value after =, which bash treats as a separate word', async () => {
    expect(await inBash(['run', '--agents', '=', 'ho'])).toEqual(['house']);
    expect(await inBash(['run', '--agents', '='])).toEqual(AGENTS);
  });
});

describe('complete-words', () => {
  const words = async (...line: string[]): Promise<string[]> => {
    const { exitCode, stdout, stderr } = await project.cli(['complete-words', ...line]);
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout.split('\n').map((one) => one.split('\t')[0] ?? '');
  };

  test('knows every verb and option that --help shows, and no hidden one', async () => {
    const shown = (help: string, heading: string): string[] =>
      [...(help.split(`${heading}:\n`)[1] ?? '').matchAll(/^ {2}(?:-[\w-]+, )?([\w-]+)/gm)].map(
        ([, name = '']) => name,
      );
    const help = await project.cli(['--help']);
    const verbs = await words('');
    expect(verbs).toEqual(shown(help.stdout, 'Commands'));
    expect(verbs).toContain('doctor');
    expect(verbs).not.toContain('complete-words');
    const run = await project.cli(['run', '--help']);
    expect(await words('run', '--')).toEqual(shown(run.stdout, 'Options'));
  });

  test('completes the last item of a comma-separated list, and models of the config', async () => {
    expect(await words('run', '--agents', 'mock,ho')).toEqual(['mock,house']);
    expect(await words('run', '--models', '')).toEqual(['small', 'large']);
  });

  test('looks for sweeps in the results folder that the line names', async () => {
    writePastSweep(join(project.folder, 'other'), null, { id: '20260303-000000-cccc', daysAgo: 1 });
    expect(await words('cancel', '--results', 'other', '')).toEqual(['20260303-000000-cccc']);
  });

  test('offers the newest sweep first, whatever its name', async () => {
    expect(await words('cancel', '')).toEqual([...SWEEPS]);
  });

  test('offers no name that a shell would interpret as code', async () => {
    expect((await words('run', '--agents', '')).join()).not.toContain('pwned');
  });

  test('offers only files after --, and nothing for an unknown verb or a value that cannot be completed', async () => {
    expect(await words('run', '--', '--js')).toEqual([':files']);
    expect(await words('no-such-verb', 'x')).toEqual(['']);
    expect(await words('run', '--repeat', '')).toEqual(['']);
  });

  test('prints nothing if the config is invalid', async () => {
    await project.write('broken/llm-tool-test-config.toml', 'oops');
    const env = { ...project.env, PATH: path };
    const cwd = join(project.folder, 'broken');
    const asked = await execa(join(project.folder, 'bin/llm-tool-test'), ['complete-words', 'run', '--agents', ''], {
      cwd,
      env,
    });
    expect([asked.stdout, asked.stderr]).toEqual(['', '']);
  });
});

test('completion --json prints the script, and an unknown shell is refused with the list of known shells', async () => {
  const { stdout } = await project.cli(['completion', 'bash', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    shell: 'bash',
    script: expect.stringContaining('complete -F _llm_tool_test llm-tool-test') as string,
  });
  const wrong = await project.cli(['completion', 'tcsh']);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toMatch(/bash, zsh, fish/);
});
