import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Firing, type ScheduleSummary } from '../../src/decide/documents/firing.js';
import { createProject, EMPTY_FIXTURE, filesBelow, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', {
      gates: ['{type: file_exists, path: README.md}'],
      steps: ["say: 'hello'"],
    }),
  });
});
afterAll(async () => {
  // The Temporal server is that of all tests.
  await project.cli(['schedule', 'delete', 'nightly']);
  await project.remove();
});

const schedule = (...args: string[]) => project.cli(['schedule', ...args]);

describe('schedule create', () => {
  test.each([
    [['--cron', '0 25 * * *'], "--cron '0 25 * * *': hour '25': expected *, a number from 0 to 23"],
    [['--cron', 'daily'], 'expected 5 fields'],
    [['--cron', '0 3 * * *', '--every', '6h'], 'either --cron or --every'],
    [[], 'either --cron or --every'],
    [['--cron', '0 3 * * *', '--timezone', 'Berlin'], "--timezone 'Berlin': expected the name of a time zone"],
    [['--every', '6h', '--timezone', 'Europe/Berlin'], '--timezone needs --cron'],
    [['--every', '10s'], 'expected at least 1m'],
    [['--every', 'often'], 'expected a time of at most 52 weeks, e.g. 30s, 15m, 6h'],
    [['--every', '6h', '--overlap', 'wait'], 'Allowed choices are skip, queue, cancel, allow'],
    [['--every', '6h', '--env-file', 'nowhere.env'], '--env-file nowhere.env'],
  ])('rejects %j', async (args, message) => {
    const { exitCode, stderr } = await schedule('create', 'nightly', 'notes', ...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(await filesBelow(project.results)).toEqual([]);
  });

  test('rejects a webhook that is not a variable, without printing what may be a secret', async () => {
    const url = 'https://hooks.example.com/T0/geheim';
    const { exitCode, stderr } = await schedule('create', 'nightly', 'notes', '--every', '6h', '--webhook', url);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--webhook '${NAME}'");
    expect(stderr).not.toContain('geheim');
  });

  test('rejects names that cannot be part of an id, and asks for consent to spend money', async () => {
    const named = await schedule('create', '../x', 'notes', '--every', '6h');
    expect([named.exitCode, named.stderr]).toEqual([2, expect.stringContaining('not a valid schedule name') as string]);
    const agent = await schedule('create', 'x', 'notes', '--every', '6h', '--agents', 'claude-code', '--json');
    expect([agent.exitCode, JSON.parse(agent.stdout)]).toMatchObject([2, { error: { code: 'not_enabled' } }]);
  });

  test('a dry run creates nothing', async () => {
    const { exitCode, stdout } = await schedule('create', 'nightly', 'notes', '--every', '6h', '--dry-run');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 cell') as string]);
    expect(await filesBelow(project.results)).toEqual([]);
  });
});

test('verbs for an unknown schedule, and a list without one, start no engine', async () => {
  for (const verb of ['trigger', 'pause', 'resume', 'delete']) {
    const { exitCode, stdout } = await schedule(verb, 'nightly', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'unknown_schedule' } }]);
  }
  expect((await schedule('list')).stdout).toContain('no schedules yet');
});

test('a schedule is created, listed, triggered and deleted', async () => {
  const cron = ['--cron', '0 3 * * *', '--timezone', 'Europe/Berlin'];
  const created = await schedule('create', 'nightly', 'notes', ...cron, '--json');
  expect(created.exitCode).toBe(0);
  expect(JSON.parse(created.stdout)).toMatchObject({
    schedule: 'nightly',
    when: '0 3 * * * Europe/Berlin',
    status: 'active',
    cells: 1,
    latest: null,
  });
  const again = await schedule('create', 'nightly', 'notes', ...cron);
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('change it with --replace') as string]);

  const fired = await schedule('trigger', 'nightly', '--wait', '--json');
  expect(fired).toMatchObject({ exitCode: 0 });
  const firing = Firing.parse(JSON.parse(fired.stdout));
  expect(firing).toMatchObject({
    triggered: true,
    status: 'completed',
    exit_code: 0,
    compared_with: null,
    verdict: null,
    totals: { cells: 1, passed: 1 },
  });
  const folder = 'llm-tool-test-results/schedules/nightly';
  expect(Firing.parse(JSON.parse(await project.read(`${folder}/latest.json`)))).toEqual(firing);
  expect(await project.read(`${folder}/exit-code`)).toBe('0\n');
  expect(await project.read(`${folder}/junit.xml`)).toContain(`<testsuites name="${firing.sweep}" tests="1"`);

  const { schedules } = JSON.parse((await schedule('list', '--json')).stdout) as {
    schedules: ScheduleSummary[];
  };
  expect(schedules).toMatchObject([{ schedule: 'nightly', running: 0, latest: firing }]);
  expect((await schedule('list')).stdout).toContain('1 of 1 passed; exit code 0');

  expect((await schedule('delete', 'nightly')).exitCode).toBe(0);
  expect((await schedule('list')).stdout).toContain('no schedules yet');
  expect((await project.cli(['show', firing.sweep ?? ''])).exitCode).toBe(0);
});
