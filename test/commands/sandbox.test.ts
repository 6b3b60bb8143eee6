import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { ownNetworkProblem } from '../../src/environments/network.js';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { partOf } from './engine-parts.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type RunFolder, type TestProject } from './project.js';

const lacking = await bubblewrapProblem();
const lacksNetwork = await ownNetworkProblem();
/** Part of a test's name: why it is skipped. */
const because = (why: string | null): string => (why === null ? '' : ` (skipped: ${why})`);
const KEPT_FILE = ['{type: file_exists, path: README.md}'];
/** A text in places that an agent must not see; the results of a run must not contain it. */
const KEPT = 'kept-from-agents';

/** Variables in the shell of the run that the agent must not get. */
const SHELL = {
  SSH_AUTH_SOCK: `/tmp/${KEPT}-ssh`,
  AWS_ACCESS_KEY_ID: `${KEPT}-aws`,
  AWS_SECRET_ACCESS_KEY: `${KEPT}-aws-secret`,
  AWS_PROFILE: `${KEPT}-profile`,
  GOOGLE_APPLICATION_CREDENTIALS: `/tmp/${KEPT}.json`,
  DOCKER_HOST: `unix:///tmp/${KEPT}-docker`,
  GITHUB_TOKEN: `${KEPT}-github`,
  ANTHROPIC_API_KEY: `${KEPT}-anthropic`,
  GEMINI_API_KEY: `${KEPT}-gemini`,
  NPM_TOKEN: `${KEPT}-npm`,
  OPENAI_API_KEY: 'key-of-its-own-provider',
};

/** Prints its environment, searches for the hidden text, and tries to write where it must not. */
const PROBE = `#!/bin/sh
echo '{"type":"thread.started","thread_id":"t"}'
exec >said.txt 2>&1
env | sort
grep -rlI --exclude-dir=proc KEPT $PLACES 2>/dev/null | sed 's/^/found /'
for place in $PLACES /etc; do (echo >"$place/planted") 2>/dev/null && echo "wrote $place"; done
echo made >made.txt
`;

let project: TestProject;
let elsewhere: string;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  // The state of another run: all of it is readable for the user.
  elsewhere = join(project.state, 'other', 'work', 'other-run');
  await mkdir(elsewhere, { recursive: true });
  await writeFile(join(elsewhere, 'notes'), KEPT);
  const places = [project.folder, project.state].join(' ');
  await project.write('probe', PROBE.replaceAll('$PLACES', places).replace('KEPT', KEPT.replace('-', `'-'`)), 0o755);
  await project.write('llm-tool-test-config.toml', '[agents.codex]\ncommand = "./probe"\n');
  const gates = [`{type: file_exists, path: made.txt}`, `{type: command_succeeds, command: "true ${KEPT}"}`];
  await project.write('fixtures/empty/initial-state/x', KEPT);
  for (const type of ['local', 'bubblewrap', 'auto'])
    await project.write(
      `fixtures/${type}.yaml`,
      scenario(type, { gates, steps: ['run: echo made >made.txt'], more: `environment: {type: ${type}}` }),
    );
});
afterAll(() => project.remove());

async function probed(type: string): Promise<{ folder: RunFolder; printed: string[] }> {
  const { document } = await project.run([type, '--agents', 'codex'], {
    ...SHELL,
    LLM_TOOL_TEST_ENABLED: '1',
  });
  const folder = await openRun(document);
  return { folder, printed: (await folder.text('fixture/said.txt')).split('\n') };
}

/** Names of the variables that the agent was given. */
const namesIn = (printed: string[]): string[] =>
  printed.flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []).filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name));

describe('the environment of an agent', () => {
  it.each(['local', 'bubblewrap'].filter((type) => type === 'local' || lacking === null))(
    'in %s contains the key of its own provider and no other',
    async (type) => {
      const { printed } = await probed(type);
      const names = namesIn(printed);
      expect(names).toContain('CODEX_PROVIDER_KEY');
      for (const name of Object.keys(SHELL)) expect(names).not.toContain(name);
      expect(printed.filter((line) => /^[A-Z_]+=/.test(line) && line.includes(KEPT))).toEqual([]);
    },
  );
});

describe.skipIf(lacking !== null)(`a prying agent${because(lacking)}`, () => {
  it('in a sandbox finds no results, scenarios, fixtures or other runs, and cannot write to them', async () => {
    const { folder, printed } = await probed('bubblewrap');
    expect(printed.filter((line) => line.startsWith('wrote /etc'))).toEqual([]);
    const found = printed.filter((line) => line.startsWith('found '));
    // It finds only its own copy of the fixture.
    expect(found.filter((line) => !line.endsWith('/workspace/x'))).toEqual([]);
    expect(found).toHaveLength(1);
    expect(folder.run).toMatchObject({ environment: 'bubblewrap', sandboxed: true });
    expect(await folder.text('report.md')).toMatch(/\| Environment +\| bubblewrap +\|/);
    expect(folder.metrics.details.map(({ status }) => status)).toEqual(['pass', 'pass']);
    expect(await project.cli(['show', folder.run.run_id])).toMatchObject({ exitCode: 0 });
  });

  it('finds all of them without a sandbox, and the report says that there was none', async () => {
    const { folder, printed } = await probed('local');
    const fixtures = join(project.folder, 'fixtures');
    const places = [join(fixtures, 'empty'), join(fixtures, 'local.yaml'), project.results, elsewhere];
    for (const place of places) expect(printed).toContainEqual(expect.stringMatching(new RegExp(`^found ${place}`)));
    for (const place of [project.folder, project.state]) expect(printed).toContain(`wrote ${place}`);
    expect(folder.run).toMatchObject({ environment: 'local', sandboxed: false });
    expect(await folder.text('report.md')).toMatch(/\| Environment +\| local, unsandboxed +\|/);
  });

  it('is sandboxed by auto', async () => {
    const { document } = await project.run(['auto', '--agents', 'mock']);
    expect((await openRun(document)).run).toMatchObject({
      outcome: 'pass',
      environment: 'bubblewrap',
      warnings: [],
    });
  });
});

describe('without bwrap', () => {
  it('bubblewrap is an error that says what to do; auto runs without a sandbox and warns', async () => {
    const bare = await createProject({ ...EMPTY_FIXTURE }, { ownEngine: true });
    try {
      const folder = join(bare.folder, 'programs');
      // Comes before the real one on PATH.
      await bare.write('programs/bwrap', '#!/bin/sh\necho "bwrap: No permissions" >&2; exit 1\n', 0o755);
      for (const type of ['bubblewrap', 'auto'])
        await bare.write(
          `fixtures/${type}.yaml`,
          scenario(type, { gates: KEPT_FILE, steps: ['say: x'], more: `environment: {type: ${type}}` }),
        );
      const { document } = await bare.run(['bubblewrap', 'auto'], {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      });
      const outcomes = Object.fromEntries(
        await Promise.all(
          document.cells.map(async (cell, index) => {
            const { run } = await openRun(document, index);
            return [cell.scenario, run] as const;
          }),
        ),
      );
      expect(outcomes['bubblewrap']).toMatchObject({
        outcome: 'error',
        message: expect.stringMatching(
          /^environment.type bubblewrap: bwrap cannot create its namespaces here \(bwrap: No permissions\); allow user namespaces/,
        ) as string,
      });
      expect(outcomes['auto']).toMatchObject({
        outcome: 'pass',
        environment: 'local',
        sandboxed: false,
        warnings: [expect.stringMatching(/^environment.type auto: no sandbox, used local: bwrap cannot/) as string],
      });
    } finally {
      await bare.remove();
    }
  });
});

describe.skipIf(lacking !== null)(`without pasta${because(lacking)}`, () => {
  /** The programs that a run needs besides node: the usual PATH may contain pasta. */
  const NEEDED = 'bwrap cat env grep kill mkfifo ps rm setsid sh sleep stat true unshare wc'.split(' ');
  let bare: TestProject;
  let programs: string;
  beforeAll(async () => {
    const more = 'environment: {type: bubblewrap}';
    bare = await createProject(
      {
        ...EMPTY_FIXTURE,
        'fixtures/boxed.yaml': scenario('boxed', { gates: KEPT_FILE, steps: ['say: x'], more }),
      },
      { ownEngine: true },
    );
    // Not in /tmp, since a sandbox has its own.
    programs = await mkdtemp('/var/tmp/llm-tool-test-programs-');
    for (const name of NEEDED) await symlink(await realpath(findExecutable(name) ?? name), join(programs, name));
    await symlink(process.execPath, join(programs, 'node'));
    bare.env['PATH'] = programs;
  });
  afterAll(async () => {
    await bare.remove();
    await rm(programs, { recursive: true });
  });

  it('a run with require_sandbox is refused before it starts, with the package to install', async () => {
    await bare.write('llm-tool-test-config.toml', 'require_sandbox = true\n');
    const { exitCode, stdout } = await bare.cli(['run', 'boxed', '--agents', 'mock', '--json']);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'infrastructure',
        message: 'the config file sets require_sandbox: pasta is not on PATH; install passt (apt install passt)',
        problems: [],
      },
    });
    expect(await partOf(bare, 'keeper')).toBeNull();
    expect(existsSync(join(bare.results, 'sweeps'))).toBe(false);
  });

  it('a sandbox that is not required shares the network, and the report has a warning', async () => {
    await bare.write('llm-tool-test-config.toml', '');
    const { run, text } = await openRun((await bare.run(['boxed', '--agents', 'mock'])).document);
    const warning =
      'the sandbox shared the network of this machine, including its loopback: pasta is not on PATH; install passt (apt install passt)';
    expect(run).toMatchObject({
      outcome: 'pass',
      environment: 'bubblewrap',
      sandboxed: true,
      warnings: [warning],
      sandbox: { filesystem: true, network: 'shared' },
    });
    const report = await text('report.md');
    expect(report).toMatch(/\| Environment +\| bubblewrap, network shared +\|/);
    expect(report).toContain(warning);
  });

  it.skipIf(lacksNetwork !== null)(
    `a run with require_sandbox is an error without a start if only the worker lacks pasta${because(lacksNetwork)}`,
    async () => {
      await bare.write('llm-tool-test-config.toml', 'require_sandbox = true\n');
      expect((await bare.cli(['engine', 'start'])).exitCode).toBe(0);
      const PATH = process.env['PATH'] ?? '';
      const { run } = await openRun((await bare.run(['boxed', '--no-cache', '--agents', 'mock'], { PATH })).document);
      expect(run).toMatchObject({
        outcome: 'error',
        starts: 0,
        message: expect.stringMatching(/^require_sandbox: pasta is not on PATH/) as string,
      });
    },
  );
});

describe.skipIf(lacking !== null)(`where LLM_TOOL_TEST_REQUIRE_SANDBOX is set${because(lacking)}`, () => {
  let strict: TestProject;
  beforeAll(async () => {
    strict = await createProject(
      { ...EMPTY_FIXTURE, 'fixtures/plain.yaml': scenario('plain', { gates: KEPT_FILE, steps: ['say: x'] }) },
      { ownEngine: true },
    );
    strict.env['LLM_TOOL_TEST_REQUIRE_SANDBOX'] = '1';
  });
  afterAll(() => strict.remove());

  it('a command plans a sandbox for a scenario that names none', async () => {
    const { run } = await openRun((await strict.run(['plain'])).document);
    expect(run).toMatchObject({ outcome: 'pass', environment: 'bubblewrap', sandboxed: true });
  });

  it('a worker refuses to start agents without one, whatever a command planned', async () => {
    const elsewhere = { LLM_TOOL_TEST_REQUIRE_SANDBOX: '0' };
    const { run } = await openRun((await strict.run(['plain', '--no-cache'], elsewhere)).document);
    expect(run).toMatchObject({
      outcome: 'error',
      starts: 0,
      message:
        'agents need a sandbox here (LLM_TOOL_TEST_REQUIRE_SANDBOX=1): set environment.type to bubblewrap or auto',
    });
  });
});
