import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOfRun } from '../../src/store/results-folder.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const isRoot = process.getuid?.() === 0;
let project: TestProject;
/** A folder of the user that no run may touch. */
let outside: string;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  outside = await mkdtemp(join(tmpdir(), 'llm-tool-test-outside-'));
  await writeFile(join(outside, 'precious'), 'as it was');
});
afterAll(async () => {
  await project.remove();
  await rm(outside, { recursive: true, force: true });
});

/** Makes a fixture with a shell script that runs in its folder, and a scenario that uses it. */
async function withFixture(name: string, script: string, steps = ['say: x']): Promise<void> {
  await project.write(`fixtures/${name}/kept.txt`, 'kept');
  execFileSync('sh', ['-c', script], {
    cwd: join(project.folder, 'fixtures', name),
    env: { ...process.env, OUT: outside },
  });
  await project.write(
    `fixtures/${name}.yaml`,
    scenario(name, { steps, gates: ['{type: file_exists, path: kept.txt}'] }).replace(
      'template_folder: empty',
      `template_folder: ${name}`,
    ),
  );
}

describe('a fixture that cannot be copied faithfully', () => {
  const device: [string, string, string][] = isRoot ? [['device', 'mknod dev c 1 3', 'dev']] : [];
  const cases: [string, string, string][] = [
    ['absolute', 'ln -s "$OUT/precious" bad', 'bad'],
    ['relative', 'ln -s ../../../etc/passwd bad', 'bad'],
    ['dangling', 'ln -s "$OUT/none" bad', 'bad'],
    ['by-way', 'mkdir -p a/b; ln -s a/b s; ln -s s/../../.. bad', 'bad'],
    ['fifo', 'mkfifo pipe', 'pipe'],
    [
      'socket',
      `node -e "require('net').createServer().listen('sock', () => process.exit())"; test -S sock || mkfifo sock`,
      'sock',
    ],
    ...device,
    ['encoding', 'printf x > "$(printf "caf\\351")"', 'not UTF-8'],
    ['huge', 'truncate -s 5G big', 'larger than 4 GiB'],
  ];

  test('makes the scenario invalid: each cause is reported with its place in the scenario, and nothing is run', async () => {
    for (const [name, script] of cases) await withFixture(`bad-${name}`, script);
    const names = cases.map(([name]) => `bad-${name}`);
    const { exitCode, stdout } = await project.cli(['run', ...names, '--json']);
    expect(exitCode).toBe(2);
    const { error } = JSON.parse(stdout) as {
      error: { problems: { file: string; line: number; message: string }[] };
    };
    expect(error.problems).toHaveLength(cases.length);
    for (const [index, [name, , says]] of cases.entries()) {
      expect(error.problems[index]?.line).toBe(3);
      expect(error.problems[index]?.file).toContain(`bad-${name}.yaml`);
      expect(error.problems[index]?.message, name).toContain(says);
    }
    expect(existsSync(join(project.results, 'sweeps'))).toBe(false);
  });
});

describe('an unusual fixture', () => {
  test('is copied unchanged: odd names, 2,000 files, deep folders, names that differ in case, inner symlinks, a file named initial-state', async () => {
    const odd = [
      'it\'s "quoted"',
      ' blank ',
      '-rf',
      '$HOME',
      'é😀',
      'back\\slash',
      'n'.repeat(255),
      'README',
      'readme',
    ];
    await withFixture(
      'odd',
      [
        `printf 'two' > "$(printf 'new\\nline')"`,
        'mkdir many; cd many; seq 2000 | xargs touch; cd ..',
        'mkdir -p $(seq -s / 60); echo deep > $(seq -s / 60)/file',
        'ln -s kept.txt link; ln -s none dangling; echo x > initial-state',
      ].join('\n'),
      [
        `run: 'ls many | wc -l | tr -d " " > count; cat $(seq -s / 60)/file initial-state link > read; readlink dangling >> read'`,
      ],
    );
    for (const name of odd) await project.write(`fixtures/odd/${name}`, name);
    const { exitCode, document } = await project.run(['odd']);
    expect(exitCode).toBe(0);
    const { text } = await openRun(document);
    expect(await text('fixture/count')).toBe('2000\n');
    expect(await text('fixture/read')).toBe('deep\nx\nkeptnone\n');
    for (const name of odd) expect(await text(`fixture/${name}`)).toBe(name);
    expect(await text('fixture/new\nline')).toBe('two');
  });

  test('with a sparse file of 1 GB takes little space, both in the store and in the results', async () => {
    await withFixture('sparse', 'truncate -s 1G big; printf end >> big', [`run: 'tail -c 3 big; stat -c %b big'`]);
    const { exitCode, document } = await project.run(['sparse']);
    expect(exitCode).toBe(0);
    const { path } = await openRun(document);
    const kept = statSync(path('fixture/big'));
    expect(kept.size).toBe(1024 ** 3 + 3);
    expect(kept.blocks * 512).toBeLessThan(50_000_000);
    const stored = readdirSync(join(project.results, '.store'))
      .map((hash) => join(project.results, '.store', hash, 'big'))
      .filter((file) => existsSync(file));
    expect(stored.map((file) => statSync(file).blocks * 512 < 50_000_000)).toEqual([true]);
  });

  test('may itself be a symlink, since the user has chosen it', async () => {
    await withFixture('real', ':');
    symlinkSync('real', join(project.folder, 'fixtures', 'linked'));
    await project.write(
      'fixtures/linked.yaml',
      scenario('linked', { steps: ['say: x'], gates: ['{type: file_exists, path: kept.txt}'] }).replace(
        'template_folder: empty',
        'template_folder: linked',
      ),
    );
    expect((await project.run(['linked'])).exitCode).toBe(0);
  });
});

/** Lets the mock run a script, and checks what it has left on the machine; returns how the run ended. */
async function afterHostile(name: string, script: string, gates: string[] = [], env: Record<string, string> = {}) {
  await project.write('hostile.sh', `OUT='${outside}'\n${script}\n`);
  await project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      gates,
      steps: [`run: 'sh ${join(project.folder, 'hostile.sh')}'`],
      target: env['KEY'] === undefined ? '{binary: cat}' : "{binary: cat, env: {KEY: '${KEY}'}}",
    }),
  );
  const ended = await project.run([name], env);
  const folder = await openRun(ended.document);
  expect((await readdir(folder.path('.'))).sort()).toEqual(
    expect.arrayContaining(['artifacts', 'evaluation.md', 'metrics.json', 'report.md']),
  );
  // Nothing outside has changed, and nothing of the run remains.
  expect(readdirSync(outside)).toEqual(['precious']);
  const [engine = ''] = readdirSync(project.state);
  const left = readdirSync(stateOfRun(join(project.state, engine), folder.run.run_id));
  expect(left.filter((part) => /^(workspace|home|tmp|bin|config)/.test(part))).toEqual([]);
  return { ...ended, ...folder };
}

describe('an agent that leaves behind', () => {
  test('outward symlinks, FIFOs, odd names and closed folders: the run passes, and a warning lists what was left out', async () => {
    const { exitCode, path, run } = await afterHostile(
      'litter',
      `ln -s "$OUT" out; ln -s /dev/zero zero; ln -s loop loop; mkfifo pipe
printf x > "$(printf 'caf\\351')"; printf x > "$(printf 'new\\nline')"; printf x > ./-rf
mkdir closed; echo x > closed/in; chmod 0 closed; echo x > shut; chmod 0 shut; ln kept.txt hard 2>/dev/null; true`,
      ['{type: command_succeeds, command: "true"}'],
    );
    expect(exitCode).toBe(0);
    expect(run.warnings.join()).toMatch(/left out of fixture\/: .*pipe \(neither file, folder nor symlink\)/);
    expect(lstatSync(path('fixture/out')).isSymbolicLink()).toBe(true);
    expect(existsSync(path('fixture/pipe'))).toBe(false);
    expect(existsSync(path('fixture/-rf'))).toBe(true);
  });

  test('huge sparse files: a gate that must read one fails, and files that are too large are left out with a warning', async () => {
    const gates = ['{type: file_contains, path: big, substring: x}', '{type: file_exists, path: vast}'];
    const { exitCode, run, metrics } = await afterHostile('vast', 'truncate -s 3G big; truncate -s 6T vast', gates, {
      KEY: 'a-secret-of-this-run',
    });
    expect(exitCode).toBe(1);
    expect(metrics.details.map(({ status }) => status)).toEqual(['fail', 'pass']);
    expect(metrics.details[0]?.message).toMatch(/big is too large to read/);
    expect(run.warnings.join()).toMatch(/big \(larger than 256 MiB, too large for masking secrets\)/);
    expect(run.warnings.join()).toMatch(/vast \(larger than 4 GiB\)/);
  });

  test('setuid and world-writable files: they are neither in the results', async () => {
    const { path } = await afterHostile(
      'setuid',
      'cp /bin/true tool; chmod 6777 tool; mkdir open; chmod 1777 open; umask 0; echo x > all',
    );
    expect(lstatSync(path('fixture/tool')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(path('fixture/all')).mode & 0o7777).toBe(0o644);
    expect(lstatSync(path('fixture/open')).mode & 0o7777).toBe(0o755);
  });

  test('folders too deep for any path: the run passes and the workspace is removed', async () => {
    const name = 'd'.repeat(200);
    const { exitCode, run } = await afterHostile(
      'deep-folders',
      `for i in $(seq 40); do mkdir ${name}; cd ${name}; done; echo x > file`,
    );
    expect(exitCode).toBe(0);
    expect(run.warnings.join()).toMatch(/its path is too long/);
  });

  test('nothing, since it has removed its workspace, HOME and TMPDIR: the gates fail', async () => {
    const { exitCode, metrics } = await afterHostile('gone', 'rm -rf "$PWD" "$HOME" "$TMPDIR"', [
      '{type: file_exists, path: README.md}',
      '{type: command_succeeds, command: "true"}',
    ]);
    expect(exitCode).toBe(1);
    expect(metrics.details.map(({ status }) => status)).toEqual(['fail', 'fail']);
  });

  test('folders without access rights in HOME and TMPDIR: all of them are removed', async () => {
    const { exitCode } = await afterHostile(
      'private',
      'for d in "$HOME" "$TMPDIR"; do mkdir -p "$d/a/b"; echo x > "$d/a/b/c"; ln -s "$OUT" "$d/out"; chmod 0 "$d/a/b" "$d/a"; done',
    );
    expect(exitCode).toBe(0);
  });
});

test('agent output beyond 64 MiB is left out of the transcripts, and the report says so', async () => {
  await project.write(
    'llm-tool-test-config.toml',
    `[agents.loud]\ncommand = "sh"\nargs = ["-c", "head -c 70000000 /dev/zero | tr '\\\\0' x"]\nfree = true\n`,
  );
  await project.write('fixtures/loud.yaml', scenario('loud', { gates: ['{type: file_exists, path: README.md}'] }));
  const { document } = await project.run(['loud', '--agents', 'loud']);
  const { run, text } = await openRun(document);
  expect(run.agent?.output_bytes).toBe(70_000_000);
  expect(run.warnings).toContain('the agent printed more than 64 MiB; the transcripts contain only the beginning');
  expect(await text('report.md')).toContain('the agent printed more than 64 MiB');
});
