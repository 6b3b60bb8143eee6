import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { createProject, openRun } from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';

const lacking = await whyNoContainers('docker');
if (lacking !== null) console.log(`no test of task folders: ${lacking}`);

/** A task folder in the form of Harbor. Its tests are lines of sh that set `reward`. */
interface TaskFolder {
  toml?: string;
  dockerfile?: string;
  solve?: string;
  tests?: string;
  files?: Record<string, string>;
}

const REWARD = 'echo $reward >/logs/verifier/reward.txt';
const SOLVED = 'reward=0; [ "$(cat /app/answer 2>/dev/null)" = 7 ] && reward=1';
const SH = '#!/bin/sh\n';

function filesOf(name: string, task: TaskFolder): [path: string, text: string, mode: number][] {
  const { toml = '', dockerfile = 'WORKDIR /app', solve = 'echo 7 >/app/answer' } = task;
  const { tests = `${SOLVED}; ${REWARD}; exit 3`, files = {} } = task;
  return [
    ['task.toml', toml, 0o644],
    ['instruction.md', '<!-- canary -->\nWrite 7 into /app/answer.\n', 0o644],
    ['environment/Dockerfile', `FROM ${IMAGE}\n${dockerfile}\n`, 0o644],
    ['solution/solve.sh', `${SH}${solve}\n`, 0o755],
    ['tests/test.sh', `${SH}${tests}\n`, 0o755],
    ...Object.entries(files).map(([path, text]): [string, string, number] => [path, text, 0o755]),
  ].map(([path, text, mode]) => [`tasks/${name}/${String(path)}`, String(text), Number(mode)]);
}

/** Runs the tasks with both agents; returns outcome and rewards by task and agent, and what else was found. */
async function rewardsOf(tasks: Record<string, TaskFolder>, env: Record<string, string> = {}) {
  const project = await createProject({});
  onTestFinished(() => project.remove());
  for (const [name, task] of Object.entries(tasks))
    for (const [path, text, mode] of filesOf(name, task)) await project.write(path, text, mode);
  const { document } = await project.run(['tasks', '--agents', 'oracle,nop'], env);
  const found: Record<string, unknown> = {};
  for (const { scenario_id: scenario, agent, outcome, message, metrics } of await project.resultLines()) {
    const [gate] = metrics?.details ?? [];
    const detail = gate?.detail as { rewards?: unknown } | null | undefined;
    found[`${scenario} ${agent}`] = detail?.rewards ?? `${outcome}: ${message}`;
  }
  return { document, found, project };
}

/** The containers on this machine, also those of builds. */
const containers = (): string[] => execFileSync('docker', ['ps', '--all', '--quiet'], { encoding: 'utf8' }).split('\n');

const ERROR = expect.stringMatching(/^error: /) as string;
const says = (text: string): string => expect.stringContaining(text) as string;
const both = (name: string, oracle: unknown, nop: unknown) => ({ [`${name} oracle`]: oracle, [`${name} nop`]: nop });
const [solved, not] = [{ reward: 1 }, { reward: 0 }];

test.skipIf(lacking !== null)(
  'task folders have the rewards that their tests give, with solution and with nothing',
  async () => {
    const before = containers();
    const { found, document } = await rewardsOf(
      {
        plain: {},
        keys: {
          tests: `${SOLVED}; echo "{\\"reward\\": $reward, \\"size\\": 12}" >/logs/verifier/reward.json; echo 0.25 >/logs/verifier/reward.txt`,
        },
        empty: { tests: ': >/logs/verifier/reward.txt' },
        missing: { tests: 'exit 0' },
        word: { tests: 'echo passed >/logs/verifier/reward.txt' },
        'broken-build': { dockerfile: 'RUN false' },
        entrypoint: {
          dockerfile:
            'WORKDIR /app\nRUN printf "#!/bin/sh\\necho 7 >/started\\nexec \\"\\$@\\"\\n" >/entry && chmod +x /entry\nENTRYPOINT ["/entry"]',
          solve: 'cp /started /app/answer',
        },
        users: {
          toml: '[agent]\nuser = "nobody"\n[verifier]\nuser = "root"\n',
          dockerfile: 'RUN mkdir /app && chown nobody /app\nWORKDIR /app',
          tests: `${SOLVED}; [ "$(id -u)" = 0 ] && [ "$(stat -c %U /app/answer)" = nobody ] || reward=0; ${REWARD}`,
        },
        variables: {
          toml: '[environment]\nworkdir = "/srv"\nenv = { A = "${LTT_UNSET:-blue}", B = "x ${NOT} y", C = "${LTT_GIVEN}" }\n[solution.env]\nS = "s"\n[verifier.env]\nV = "v"\n',
          dockerfile: 'RUN mkdir /srv',
          solve: 'echo "$A|$B|$C|$S" >out',
          tests: `reward=0; [ "$(cat out)" = 'blue|x \${NOT} y|given|s' ] && [ "$PWD$V$S" = /srvv ] && reward=1; ${REWARD}`,
        },
        background: {
          solve: '(setsid sh -c "while :; do date +%s%N >/app/beat; sleep 0.1; done" &)\nsleep 0.3',
          tests: `reward=0; a=$(cat /app/beat); sleep 1; [ -n "$a" ] && [ "$a" != "$(cat /app/beat)" ] && reward=1; ${REWARD}`,
        },
      },
      { LTT_GIVEN: 'given' },
    );
    expect(found).toEqual({
      ...both('plain', solved, not),
      ...both('keys', { reward: 1, size: 12 }, { reward: 0, size: 12 }),
      ...both('empty', says('reward.txt is empty'), ERROR),
      ...both('missing', says('neither reward.json nor reward.txt'), ERROR),
      ...both('word', says('no finite number'), ERROR),
      ...both('broken-build', says('the image could not be built'), says('the image could not be built')),
      ...both('entrypoint', solved, not),
      ...both('users', solved, not),
      ...both('variables', solved, not),
      ...both('background', solved, not),
    });
    expect(document.cells.filter(({ outcome }) => outcome === 'pass').map(({ agent }) => agent)).not.toContain('nop');
    expect(containers().filter((id) => !before.includes(id))).toEqual([]);
  },
  300_000,
);

test.skipIf(lacking !== null)(
  'time limits, health checks, planted files and tests apart count as in Harbor, with solution and with nothing',
  async () => {
    const before = containers();
    const { found, document } = await rewardsOf({
      late: {
        toml: '[agent]\ntimeout_sec = 1\n',
        solve: 'sleep 2; touch /app/late; sleep 60',
        tests: `sleep 2; reward=0; [ -e /app/late ] && reward=1; ${REWARD}`,
      },
      planted: {
        solve:
          'echo 7 >/app/answer; mkdir -p /tests /logs/verifier; touch /tests/planted; echo 5 >/logs/verifier/reward.json',
        tests: `${SOLVED}; [ -e /tests/planted ] && reward=-1; ${REWARD}`,
      },
      ignored: {
        tests: `${SOLVED}; [ -e /tests/secret ] || [ ! -e /tests/kept ] && reward=-1; ${REWARD}`,
        files: { 'tests/.harborignore': 'secret\n', 'tests/secret': 'x', 'tests/kept': 'x' },
      },
      apart: {
        toml: 'artifacts = ["/app/answer", "/app/missing"]\n[verifier]\nenvironment_mode = "separate"\n',
        solve: 'echo 7 >/app/answer; touch /app/other; echo 1 >/logs/artifacts/more',
        tests: `${SOLVED}; [ -e /app/other ] && reward=-1; ${REWARD}`,
      },
      'apart-image': {
        toml: 'artifacts = [{ source = "/app" }]\n[verifier.environment]\nallow_internet = false\n',
        files: { 'tests/Dockerfile': `FROM ${IMAGE}\nRUN touch /own\nCOPY test.sh /tests/test.sh\n` },
        tests: `${SOLVED}; [ -e /own ] || reward=-1; ${REWARD}`,
      },
      unhealthy: { toml: '[environment.healthcheck]\ncommand = "false"\ninterval_sec = 0.1\nretries = 2\n' },
      healthy: {
        toml: '[environment.healthcheck]\ncommand = "test -e /ready"\ninterval_sec = 0.2\nretries = 50\n',
        dockerfile:
          'WORKDIR /app\nRUN printf "#!/bin/sh\\n(sleep 1; touch /ready) &\\nexec \\"\\$@\\"\\n" >/entry && chmod +x /entry\nENTRYPOINT ["/entry"]',
        solve: 'test -e /ready && echo 7 >/app/answer',
      },
      slow: { toml: '[verifier]\ntimeout_sec = 1\n', tests: `reward=1; ${REWARD}; sleep 60` },
    });
    expect(found).toEqual({
      ...both('late', not, not),
      ...both('planted', solved, not),
      ...both('ignored', solved, not),
      ...both('apart', solved, not),
      ...both('apart-image', solved, not),
      ...both('unhealthy', says('the health check failed 2 times'), ERROR),
      ...both('healthy', solved, not),
      ...both('slow', says('did not end within 1 s'), ERROR),
    });
    expect(document.cells.filter(({ outcome }) => outcome === 'pass').map(({ agent }) => agent)).not.toContain('nop');
    expect(containers().filter((id) => !before.includes(id))).toEqual([]);
  },
  300_000,
);

/** The attempts of a process that the oracle leaves behind to have a reward of 1, as root. */
const FORGERIES: Record<string, string> = {
  reward: 'echo 1 >/logs/verifier/reward.txt',
  json: `echo '{"reward": 1}' >/logs/verifier/reward.json`,
  script: 'echo "echo 1 >/logs/verifier/reward.txt" >/tests/test.sh',
  folder: 'rm -rf /logs/verifier; mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt',
  logs: 'mv /logs /logs-$$; mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt',
  tests:
    'rm -rf /tests; mkdir /tests; echo "echo 1 >/logs/verifier/reward.txt" >/tests/test.sh; chmod +x /tests/test.sh',
  link: 'rm -rf /logs/verifier; ln -sfn /app /logs/verifier; echo 1 >/app/reward.txt',
  'link-of-logs': 'mv /logs /logs-$$; mkdir -p /app/verifier; ln -sfn /app /logs; echo 1 >/app/verifier/reward.txt',
  proc: 'for p in /proc/[0-9]*; do echo 1 >$p/root/logs/verifier/reward.txt; done',
  cwd: 'for p in /proc/[0-9]*; do echo 1 >$p/cwd/verifier/reward.txt; echo 1 >$p/root/logs/verifier/reward.json; done',
  mount: 'mount -t tmpfs none /logs/verifier && echo 1 >/logs/verifier/reward.txt; umount /logs/verifier',
};

test.skipIf(lacking !== null)(
  'a process that the agent has left cannot write the reward, nor change the tests',
  async () => {
    const forging = (how: string): TaskFolder => ({
      solve: `cat >/app/forge <<'END'\nwhile :; do ${how}; done 2>/dev/null\nEND\n(setsid sh /app/forge >/dev/null 2>&1 &)\nsleep 0.3`,
      // Long enough for the process to try.
      tests: `sleep 1; reward=0; ${REWARD}; sleep 1`,
    });
    const { found } = await rewardsOf(
      Object.fromEntries(Object.entries(FORGERIES).map(([name, how]) => [name, forging(how)])),
    );
    expect(found).toEqual(
      Object.fromEntries(
        Object.keys(FORGERIES).flatMap((name) => ['oracle', 'nop'].map((agent) => [`${name} ${agent}`, { reward: 0 }])),
      ),
    );
  },
  300_000,
);

test.skipIf(lacking !== null)(
  'tests see what the agent works on, also its processes and servers, as their user',
  async () => {
    const { found, document } = await rewardsOf({
      shared: {
        solve: '(setsid sleep 987 &); echo 7 >/app/answer',
        tests: `reward=0; [ -n "$(grep -l '98[7]' /proc/[0-9]*/cmdline)" ] && [ "$HOSTNAME$(hostname)" != "" ] && touch /app/of-tests && reward=1; ${REWARD}; echo "curl: (6) Could not resolve host: x"`,
      },
      user: {
        toml: '[verifier]\nuser = "nobody"\n',
        tests: `reward=0; [ "$(id -u) $(id -g)" = '65534 65534' ] && [ "$PWD" = /app ] && [ -x /tests/test.sh ] && reward=1; ${REWARD}`,
      },
    });
    expect(found).toMatchObject({
      'shared oracle': { reward: 1 },
      'shared nop': { reward: 0 },
      'user oracle': { reward: 1 },
      'user nop': { reward: 1 },
    });
    const at = document.cells.findIndex(({ scenario, agent }) => scenario === 'shared' && agent === 'oracle');
    const { run: record } = await openRun(document, at);
    expect(record.warnings).toContainEqual(says('a download of the tests failed'));
  },
  300_000,
);

const step = (
  name: string,
  { solve, tests, more = {} }: { solve: string; tests: string; more?: Record<string, string> },
) => ({
  [`steps/${name}/instruction.md`]: `Do ${name}.\n`,
  [`steps/${name}/solution/solve.sh`]: `${SH}${solve}\n`,
  [`steps/${name}/tests/test.sh`]: `${SH}${tests}\n`,
  ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`steps/${name}/${path}`, text])),
});

/** A step that leaves a file, and has this reward if it is there. */
const leaves = (name: string, reward = '1', more: Record<string, string> = {}) =>
  step(name, {
    solve: `[ -e /tests ] && ls -A /tests | grep -q . || touch ${name}`,
    tests: `reward=0; [ -e /app/${name} ] && reward=${reward}; ${REWARD}`,
    more,
  });

const stepsToml = (...steps: string[]): string => `${steps.map((one) => `[[steps]]\n${one}`).join('\n')}\n`;

test.skipIf(lacking !== null)(
  'a task of several steps has the mean or the last of their rewards, and stops where one is too low',
  async () => {
    const { project } = await rewardsOf({
      mean: {
        toml: stepsToml('name = "one"', 'name = "two"'),
        files: { ...leaves('one'), ...leaves('two', '0.5') },
      },
      stop: {
        toml: stepsToml('name = "one"', 'name = "two"\nmin_reward = 0.8', 'name = "three"'),
        files: { ...leaves('one'), ...leaves('two', '0.5'), ...leaves('three') },
      },
      last: {
        toml: `multi_step_reward_strategy = "final"\n${stepsToml('name = "one"', 'name = "two"\nmin_reward = {reward = 0.5}')}`,
        files: {
          ...leaves('one', '0.5'),
          ...leaves('two', '1', { 'workdir/given': 'x', 'workdir/setup.sh': 'mv given set-up\n' }),
          ...step('two', {
            solve: '[ -e set-up ] && [ -e one ] && touch two',
            tests: `reward=0; [ -e /app/two ] && reward=1; ${REWARD}`,
            more: { 'workdir/given': 'x', 'workdir/setup.sh': 'mv given set-up\n' },
          }),
        },
      },
      'setup-fails': {
        toml: stepsToml('name = "one"', 'name = "two"'),
        files: { ...leaves('one'), ...leaves('two', '1', { 'workdir/setup.sh': 'exit 4\n' }) },
      },
    });
    const found: Record<string, unknown> = {};
    for (const { scenario_id: scenario, agent, outcome, metrics } of await project.resultLines())
      found[`${scenario} ${agent}`] = [
        outcome,
        ...(metrics?.details ?? []).map(
          ({ detail }) => (detail as { rewards?: { reward: number } } | null)?.rewards?.reward,
        ),
      ];
    expect(found).toEqual({
      'mean oracle': ['fail', 1, 0.5, 0.75],
      'mean nop': ['fail', 0, 0, 0],
      'stop oracle': ['fail', 1, 0.5, 0.75],
      'stop nop': ['fail', 0, 0, 0],
      'last oracle': ['pass', 0.5, 1, 1],
      'last nop': ['fail', 0, 0, 0],
      'setup-fails oracle': ['error', 1, undefined, undefined],
      'setup-fails nop': ['error', 0, undefined, undefined],
    });
  },
  300_000,
);

test.skipIf(lacking !== null)(
  'validate --tasks lists tasks that are not solved by their solution, or that are solved by nothing',
  async () => {
    const project = await createProject({});
    onTestFinished(() => project.remove());
    const tasks: Record<string, TaskFolder> = {
      good: {},
      unsolved: { solve: 'true' },
      free: { tests: `reward=1; ${REWARD}` },
      broken: { dockerfile: 'RUN echo connection refused; false' },
      unverified: { tests: 'true' },
    };
    for (const [name, task] of Object.entries(tasks))
      for (const [path, text, mode] of filesOf(name, task)) await project.write(path, text, mode);
    for (const [path, text, mode] of filesOf('unsolvable', {}))
      if (!path.includes('/solution/')) await project.write(path, text, mode);
    const { exitCode, stdout } = await project.cli(['validate', 'tasks', '--tasks', '--json']);
    const document = JSON.parse(stdout) as { valid: boolean; tasks: { name: string; problems: string[] }[] };
    const problems = Object.fromEntries(document.tasks.map((task) => [task.name, task.problems]));
    expect([exitCode, document.valid]).toEqual([1, false]);
    expect(problems).toEqual({
      good: [],
      unsolved: [
        'the solution does not pass: fail: 0/1 gates passed: verifier /tests/test.sh: reward 0; it passes with at least 1',
      ],
      free: [says('it passes although nothing was done')],
      broken: [says('the solution does not pass: error: ')],
      unverified: [says('the solution does not pass: error: ')],
      unsolvable: [says('the task has no solution/solve.sh')],
    });
    const good = await project.cli(['validate', 'tasks/good', '--tasks']);
    expect([good.exitCode, good.stdout]).toEqual([
      0,
      '1 task checked: each passes with its solution, and fails if nothing is done',
    ]);
  },
  300_000,
);

test.skipIf(lacking !== null)(
  'a scenario that is exported as a task passes with its mock agent, and fails if nothing is done',
  async () => {
    const project = await createProject({
      'fixtures/given/in.txt': '$HOME and "more"\n',
      'fixtures/given/initial-state/.keep': '',
      'fixtures/checks/expected.txt': '$HOME and "more"\nadded\n',
      'fixtures/image/Dockerfile': `FROM ${IMAGE}\nUSER nobody\n`,
    });
    onTestFinished(() => project.remove());
    const scenarioOf = (name: string, environment: string): Promise<void> =>
      project.write(
        `fixtures/${name}.yaml`,
        `name: ${name}
description: ${name}
target: {binary: cat}
template_folder: given
checks_folder: checks
environment: ${environment}
setup: {files: {set/up.txt: "it's $x"}, commands: ["echo '$x' >made"]}
task: {prompt: "Add a line to in.txt"}
mock:
  steps:
    - {run: "echo added >>in.txt"}
    - {write: {path: a/b.txt, content: "a 'b' $c\\n"}}
evaluation:
  gates:
    - {type: file_equals, path: in.txt, expected: expected.txt}
    - {type: file_contains, path: a/b.txt, substring: "'b' $c"}
    - {type: command_succeeds, command: 'grep -q . made && [ "$(cat set/up.txt)" = "it''s \\$x" ]'}
    - {type: command_output_contains, command: "cat made", substring: "$x"}
`,
      );
    await scenarioOf('of-image', `{type: docker, image: "${IMAGE}"}`);
    await scenarioOf('of-build', '{type: docker, build: image}');
    const own = await project.run(['of-image', 'of-build', '--agents', 'mock']);
    expect(own.document.cells.map(({ outcome, message }) => [outcome, message])).toEqual([
      ['pass', '4/4 gates passed'],
      ['pass', '4/4 gates passed'],
    ]);
    for (const name of ['of-image', 'of-build']) {
      const { exitCode, stderr } = await project.cli(['export', name, '--task', `tasks/${name}`]);
      expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    }
    const { exitCode, stdout } = await project.cli(['validate', 'tasks', '--tasks', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ problems: [] }, { problems: [] }] });
    expect(exitCode).toBe(0);
    const job = await project.cli(['export', 'latest', '--harbor', 'jobs', '--json']);
    expect((JSON.parse(job.stdout) as { trials: string[] }).trials).toHaveLength(4);
    const again = await project.cli(['export', 'of-image', '--task', 'tasks/of-image']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('tasks/of-image exists')]);
  },
  300_000,
);

test.skipIf(lacking !== null)(
  '--until-clear --measure reward decides by mean rewards where no run passes, and refuses what is not from 0 to 1',
  async () => {
    const project = await createProject({});
    onTestFinished(() => project.remove());
    const task: TaskFolder = {
      toml: '[environment]\nenv = { R = "${LTT_R:-0}" }\n',
      tests: `reward=$R; ${REWARD}`,
    };
    for (const [path, text, mode] of filesOf('graded', task)) await project.write(path, text, mode);
    const args = ['tasks', '--agents', 'oracle', '--concurrency', '8'];
    const before = await project.run([...args, '--repeat', '8'], { LTT_R: '0.95' });
    const since = ['--until-clear', '--measure', 'reward', '--max-runs', '8'];
    const { exitCode, document } = await project.run([...args, ...since, '--base', before.document.sweep], {
      LTT_R: '0.05',
    });
    expect(exitCode).toBe(1);
    expect(document.totals).toMatchObject({ passed: 0 });
    expect(document.decision).toMatchObject({ measure: 'reward', verdict: 'worse', stopped: 'clear' });
    expect(document.decision?.configurations).toMatchObject([
      { base: { reward: expect.closeTo(0.95) as number }, head: { reward: expect.closeTo(0.05) as number } },
    ]);
    const said = `this sweep is worse than ${before.document.sweep}: mean reward -0.90`;
    const shown = await project.cli(['show', document.sweep]);
    expect(shown.stdout).toContain(said);
    for (const format of ['md', 'junit']) {
      const report = await project.cli(['report', document.sweep, '--format', format]);
      expect(report.stdout).toContain(said);
    }
    const compared = await project.cli(['compare', before.document.sweep, document.sweep]);
    expect(compared.stdout).toContain('run --until-clear --measure reward');
    expect(compared.stdout).not.toContain('the verdict, its interval and its p allow for that');

    const above = await project.run([...args, '--repeat', '1'], { LTT_R: '1.5' });
    // The other base has no such reward, but a run of the same task had one.
    for (const [base, said] of [
      [above, 'a run of graded oracle/default in'],
      [before, 'a run of the same scenario, graded, in'],
    ] as const) {
      const refused = await project.cli(['run', ...args, ...since, '--base', base.document.sweep], { LTT_R: '0.05' });
      expect(refused.stderr).toContain(`--measure reward: ${said} ${above.document.sweep} has the reward 1.5; only`);
      expect(refused.exitCode).toBe(2);
    }
  },
  600_000,
);

test.skipIf(lacking !== null)(
  'tests that the daemon has not started are started again',
  async () => {
    const project = await createProject({}, { ownEngine: true });
    onTestFinished(() => project.remove());
    for (const [path, text, mode] of filesOf('plain', {})) await project.write(path, text, mode);
    const docker = `'${findExecutable('docker')}' "$@"`;
    const refused = `${project.folder}/refused`;
    // Refuses the first command that starts tests, as a daemon that fails does.
    await project.write(
      'bin/docker',
      `#!/bin/sh
case "$*" in *'eval "$(cat)"') ;; *) exec ${docker} ;; esac
script=$(mktemp)
cat >"$script"
if grep -q verify.pl "$script" && mkdir '${refused}' 2>/dev/null; then
  echo 'Error response from daemon: busy' >&2
  exit 1
fi
exec ${docker} <"$script"
`,
      0o755,
    );
    project.env['PATH'] = `${project.folder}/bin:${process.env['PATH'] ?? ''}`;
    const { document } = await project.run(['tasks', '--agents', 'oracle']);
    expect(existsSync(refused)).toBe(true);
    expect(document.cells.map(({ outcome, message }) => [outcome, message])).toEqual([['pass', '1/1 gates passed']]);
  },
  120_000,
);
