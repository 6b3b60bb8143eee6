import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { shellWord } from '../../src/lib/commands/command.js';
import { sha256 } from '../../src/lib/hash.js';
import { chanceOf } from '../../src/mocks/record-call.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import {
  cellsOf,
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  filesBelow,
  openRun,
  scenario,
  type RunFolder,
  type ScenarioOptions,
  type TestProject,
} from './project.js';

const lacking = await bubblewrapProblem();
const PLACES = ['local', ...(lacking === null ? ['bubblewrap'] : [])];

const run = (command: string): string => `run: ${JSON.stringify(command)}`;
const setup = (mocks: object[]): string => `setup: ${JSON.stringify({ mocks })}`;

/** Arguments that a shell or a template would evaluate, some of which would write files. */
const HOSTILE = [
  '',
  ' a  b ',
  '"double" and \'single\'',
  '$(touch planted)',
  '`touch planted`',
  '; touch planted #',
  'a\ntouch planted\n',
  '../../planted',
  '/etc/passwd',
  '${args[0]}',
  '$${args[0]}',
  '${PATH} $HOME $& $1 %s %n \\n \\',
  '*',
  '--',
  '-e',
  'é ☃',
];

const inPlace = (type: string): string =>
  scenario(type, {
    steps: [
      run('gh pr list >list.txt; gh pr view 7 >view.txt 2>error.txt; echo $? >status.txt'),
      run('printf "from stdin" | gh read >read.txt'),
      run(`gh hostile ${HOSTILE.map(shellWord).join(' ')} >hostile.txt`),
      run('gh auth --password hunter2x'),
    ],
    gates: [
      '{type: command_output_contains, command: gh where, substring: "in gate 1 of mock"}',
      '{type: command_exit_code_is, command: gh pr view 7, expected_code: 4}',
    ],
    more: [
      `environment: {type: ${type}}`,
      'scripts: {post: [{command: "gh where >post.txt"}]}',
      setup([
        { command: 'gh', when: { partialArgs: ['pr'] }, response: 'one\ntwo\n' },
        {
          command: 'gh',
          when: { args: ['pr', 'view', '7'] },
          error: { code: 'NOT_FOUND', message: 'no pull request 7', status: 4 },
        },
        { command: 'gh', when: { args: ['read'] }, response: 'read ${input.stdin}' },
        {
          command: 'gh',
          when: { partialArgs: ['hostile'] },
          response: HOSTILE.map((_, index) => `<\${args[${index + 1}]}>`).join(''),
        },
        { command: 'gh', when: { args: ['where'] }, response: 'in ${context.step} of ${context.agent}' },
        { command: 'gh', when: { partialArgs: ['auth'] } },
      ]),
    ].join('\n'),
  });

const SCENARIOS: Record<string, ScenarioOptions> = {
  lacking: {
    steps: [run('gh issue list --all; gh issue list --all; git status')],
    more: setup([
      { command: 'gh', when: { args: ['pr', 'list'] }, response: 'x' },
      { command: 'git', response: 'clean' },
    ]),
  },
  chance: {
    steps: [run('for n in 1 2 3 4 5 6 7 8 9 10; do gh $n; done')],
    more: setup([{ command: 'gh', metadata: { probability: 0.5, delay: 1 } }]),
  },
  together: {
    steps: [run('for n in 1 2 3 4 5 6 7 8; do gh $n & done; wait')],
    more: setup([{ command: 'gh', response: '${args[0]}' }]),
  },
  matcher: {
    steps: [
      run('gh 3 >three.txt; printf "a\\nb" | gh lines >lines.txt; gh x >x.txt; gh "1); require(\\"fs\\")" >quoted.txt'),
      run('git push >push.txt'),
    ],
    more: setup([
      { command: 'gh', when: { matcher: 'Number(args[0]) > 2' }, response: 'more than 2' },
      { command: 'gh', when: { matcher: 'input.stdin.split("\\n").length === 2' }, response: '2 lines' },
      { command: 'gh', when: { matcher: 'args[0].length === 1 && nothing' }, response: 'never' },
      { command: 'gh', response: 'other' },
      { command: 'git', when: { partialArgs: ['push'] }, response: 'partial' },
      { command: 'git', when: { matcher: 'context.step === "agent"' }, response: 'matcher' },
    ]),
  },
  path: {
    target: '{binary: cat, env: {PATH: "/usr/bin:/bin"}}',
    steps: [run('uname >uname.txt')],
    gates: ['{type: command_output_contains, command: uname, substring: mocked}'],
    more: setup([{ command: 'uname', response: 'mocked' }]),
  },
};

let project: TestProject;
let document: SweepDocument;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  for (const type of PLACES) await project.write(`fixtures/${type}.yaml`, inPlace(type));
  for (const [name, options] of Object.entries(SCENARIOS))
    await project.write(
      `fixtures/${name}.yaml`,
      scenario(name, { gates: ['{type: file_exists, path: README.md}'], ...options }),
    );
  const names = [...PLACES, ...Object.keys(SCENARIOS)];
  ({ document } = await project.run([...names, '--agents', 'mock']));
});
afterAll(() => project.remove());

const runOf = (name: string): Promise<RunFolder> => openRun(cellsOf(document, name));
const chances = ({ run: { mocks } }: RunFolder) =>
  mocks?.by_mock[0]?.calls.map(({ failed_by_chance }) => failed_by_chance);

describe.each(PLACES)('a mocked command in %s', (type) => {
  it('answers the agent, post scripts and gates', async () => {
    const { run, text } = await runOf(type);
    expect(run).toMatchObject({ outcome: 'pass', environment: type, warnings: [] });
    expect(await text('fixture/list.txt')).toBe('one\ntwo\n');
    expect(await text('fixture/view.txt')).toBe('');
    expect(await text('fixture/error.txt')).toBe('NOT_FOUND: no pull request 7\n');
    expect(await text('fixture/status.txt')).toBe('4\n');
    expect(await text('fixture/read.txt')).toBe('read from stdin');
    expect(await text('fixture/post.txt')).toBe('in post 1 of mock');
  });

  it('is reported with its calls, whose secrets are masked', async () => {
    const { run, text } = await runOf(type);
    expect(run.mocks?.by_mock.map(({ calls }) => calls.map(({ step, exit_code }) => [step, exit_code]))).toEqual([
      [['agent', 0]],
      [
        ['agent', 4],
        ['gate 2', 4],
      ],
      [['agent', 0]],
      [['agent', 0]],
      [
        ['post 1', 0],
        ['gate 1', 0],
      ],
      [['agent', 0]],
    ]);
    expect(run.mocks).toMatchObject({ unmatched: [], more: false });
    expect(run.mocks?.by_mock[5]?.calls[0]?.args).toEqual(['auth', '--password', '[REDACTED]']);
    expect(await text('report.md')).toMatch(/## Mocks\n\n(.*\n)+\| 2 +\| gh pr view 7 +\| 2 +\| 0 +\|/);
  });

  it('gets its arguments unchanged and evaluates nothing in them', async () => {
    const { run, text, path } = await runOf(type);
    expect(await text('fixture/hostile.txt')).toBe(HOSTILE.map((arg) => `<${arg}>`).join(''));
    expect(run.mocks?.by_mock[3]?.calls[0]?.args).toEqual(['hostile', ...HOSTILE]);
    const made = (await filesBelow(path('fixture'))).map((file) => file.slice(path('fixture/').length)).sort();
    expect(made).toEqual(
      ['README.md', 'error.txt', 'hostile.txt', 'list.txt', 'post.txt', 'read.txt', 'status.txt', 'view.txt'].sort(),
    );
    for (const folder of [project.folder, project.state, dirname(project.state)])
      expect(existsSync(join(folder, 'planted'))).toBe(false);
    expect((await filesBelow(project.state)).filter((file) => file.endsWith('planted'))).toEqual([]);
  });
});

describe('a mocked command', () => {
  it('fails on a call that no mock matches, and the report names the call and the unused mock', async () => {
    const { run, text } = await runOf('lacking');
    const warnings = ['mock 1 (gh pr list) was never used', '2 calls of gh matched no mock: gh issue list --all'];
    expect(run).toMatchObject({ outcome: 'pass', warnings });
    const call = { command: 'gh', args: ['issue', 'list', '--all'], step: 'agent', exit_code: 127 };
    expect(run.mocks?.unmatched).toMatchObject([call, call]);
    expect(await text('artifacts/transcript.raw.txt')).toContain(
      'llm-tool-test: no mock of gh matches this call: gh issue list --all',
    );
    const report = await text('report.md');
    for (const warning of warnings) expect(report).toContain(warning);
    expect(report).toContain('agent: `gh issue list --all`');
  });

  it('fails by chance in the same calls when the run is repeated', async () => {
    const first = await runOf('chance');
    const { document: again } = await project.run(['chance', '--agents', 'mock', '--no-cache']);
    const seed = sha256(first.run.cell);
    const expected = Array.from({ length: 10 }, (_, index) => chanceOf(seed, index + 1) < 0.5);
    expect(chances(first)).toEqual(expected);
    expect(chances(await openRun(again))).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([true, false]));
  });

  it('answers where its matcher is true, reports a matcher that throws, and runs none of the arguments', async () => {
    const { run, text } = await runOf('matcher');
    expect(await text('fixture/three.txt')).toBe('more than 2');
    expect(await text('fixture/lines.txt')).toBe('2 lines');
    expect(await text('fixture/x.txt')).toBe('other');
    expect(await text('fixture/quoted.txt')).toBe('other');
    expect(await text('fixture/push.txt')).toBe('matcher');
    expect(run.warnings).toEqual([
      'mock 3 (gh) was never used',
      'mock 5 (git push) was never used',
      'the matcher of mock 3 threw in 2 calls: ReferenceError: nothing is not defined',
    ]);
  });

  it('is recorded for each of several calls at the same time', async () => {
    const { run } = await runOf('together');
    const args = run.mocks?.by_mock[0]?.calls.map((call) => call.args.join()).sort();
    expect(args).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  it('comes first even on a PATH that the target sets', async () => {
    const { run, text } = await runOf('path');
    expect(run).toMatchObject({ outcome: 'pass', warnings: [] });
    expect(await text('fixture/uname.txt')).toBe('mocked');
  });
});

describe.skipIf(lacking !== null)(`an agent in a sandbox${lacking === null ? '' : ` (skipped: ${lacking})`}`, () => {
  it('cannot change or remove mocked commands', async () => {
    const file = scenario('tampering', {
      steps: [run('cd "$(dirname "$(command -v gh)")" || exit; for f in gh .[a-z]*; do echo x >$f; rm -f $f; done')],
      gates: ['{type: command_output_contains, command: gh, substring: mocked}'],
      more: `environment: {type: bubblewrap}\n${setup([{ command: 'gh', response: 'mocked' }])}`,
    });
    await project.write('fixtures/tampering.yaml', file);
    const opened = await openRun((await project.run(['tampering', '--agents', 'mock'])).document);
    expect(opened.run).toMatchObject({ outcome: 'pass', environment: 'bubblewrap', warnings: [] });
    expect(await opened.text('artifacts/transcript.raw.txt')).toContain('Read-only file system');
  });
});

describe('a scenario in the form of ElizaOS', () => {
  it('has mocked commands in its code, which can depend on the step', async () => {
    const file = {
      name: 'eliza',
      setup: {
        mocks: [
          { command: 'gh', when: { context: { step: 'command 1' } }, response: 'first' },
          { command: 'gh', response: 'later' },
        ],
      },
      run: [
        { lang: 'sh', code: 'gh', evaluations: [{ type: 'string_contains', value: 'first' }] },
        { lang: 'sh', code: 'gh', evaluations: [{ type: 'string_contains', value: 'later' }] },
      ],
    };
    await project.write('eliza.scenario.yaml', JSON.stringify(file));
    const { exitCode, stdout } = await project.cli(['scenario', 'run', 'eliza.scenario.yaml', '--json']);
    expect(exitCode).toBe(0);
    const { run } = await openRun(documentOf(stdout));
    expect(run).toMatchObject({ outcome: 'pass', warnings: [] });
    expect(run.mocks?.by_mock.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });
});

describe('a scenario with mocked commands is refused', () => {
  const problemsOf = async (options: ScenarioOptions): Promise<string> => {
    await project.write('refused.yaml', scenario('refused', options));
    const { exitCode, stdout, stderr } = await project.cli(['validate', 'refused.yaml']);
    expect(exitCode).toBe(2);
    return stdout + stderr;
  };
  const MOCKS = '\nsetup:\n  mocks:\n    - command: gh\n';

  it('if a command has the name of the target', async () => {
    expect(await problemsOf({ target: '{binary: gh}', more: MOCKS })).toMatch(
      /refused\.yaml:11:16 .*'gh' is the target, which must not be mocked/,
    );
  });

  it('in a container', async () => {
    const more = `environment: {type: docker, image: "debian:12"}${MOCKS}`;
    expect(await problemsOf({ more })).toMatch(
      /refused\.yaml:11:5 .*commands cannot be mocked in environment\.type docker/,
    );
  });
});
