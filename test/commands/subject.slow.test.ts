import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;

const SKILL = '---\nname: stamp\ndescription: Stamps documents.\n---\n\nRun stamp.sh.\n';

/** `step`: what the mock does; the gate wants out.txt. Nothing but the subject is under test. */
const stamp = (name: string, step: string, more: string): string =>
  scenario(name, {
    target: null,
    gates: ['{type: file_exists, path: out.txt}'],
    steps: [`run: ${step}`],
    more,
  });
const USES_SKILL = `'sh "$HOME/.agents/skills/stamp/stamp.sh" > out.txt || rm out.txt'`;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/skills/stamp/SKILL.md': SKILL,
    'fixtures/GUIDE.md': 'Be brief.\n',
    'fixtures/useful.yaml': stamp('useful', USES_SKILL, 'subject: {skill: skills/stamp}\nbaseline: true'),
    'fixtures/useless.yaml': stamp('useless', 'echo yes > out.txt', 'subject: {skill: skills/stamp}'),
  });
  await project.write('fixtures/skills/stamp/stamp.sh', '#!/bin/sh\necho stamped\n', 0o755);
});
afterAll(() => project.remove());

const compare = async (sweep: string): Promise<Comparison> => {
  const { stdout } = await project.cli(['compare', sweep, '--variants', 'without,with', '--json']);
  return Comparison.parse(JSON.parse(stdout));
};

test('a skill that helps is found to be better than none', async () => {
  const { document } = await project.run(['useful', '--repeat', '8']);
  expect(document.cells.map(({ variant, outcome }) => `${variant} ${outcome ?? ''}`).sort()).toEqual([
    ...Array<string>(8).fill('with pass'),
    ...Array<string>(8).fill('without fail'),
  ]);
  expect(await compare(document.sweep)).toMatchObject({
    verdict: 'better',
    total: { base: { passed: 0, tested: 8 }, head: { passed: 8, tested: 8 }, difference: 1 },
  });
});

test('a skill that does not help is not found to be better: --with-baseline adds the baseline', async () => {
  const { document } = await project.run(['useless', '--repeat', '8', '--with-baseline']);
  expect(document.cells).toHaveLength(16);
  expect((await compare(document.sweep)).verdict).not.toBe('better');
});

test('--until-clear compares with the baseline', async () => {
  const args = ['useful', '--variants', 'with', '--until-clear', '--base', 'without', '--json'];
  const { stdout } = await project.cli(['run', ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ decision: { verdict: 'better' } });
});

test('files of the skill arrive unchanged and outside of the workspace', async () => {
  await writeFile(join(project.folder, 'fixtures/skills/stamp/logo.bin'), Buffer.from([0xff, 0xfe, 0x00]));
  const list = `'cd "$HOME/.agents/skills/stamp" && test -x stamp.sh && cmp logo.bin "${project.folder}/fixtures/skills/stamp/logo.bin" && cat "$HOME/AGENTS.md" && cd - && touch out.txt'`;
  const more = 'subject: [{skill: skills/stamp}, {instructions: GUIDE.md}]';
  await project.write('fixtures/files.yaml', stamp('files', list, more));
  const { document } = await project.run(['files']);
  const { run, text } = await openRun(document);
  expect(run.outcome).toBe('pass');
  expect(await text('artifacts/transcript.human.txt')).toContain('Be brief.');
});

test('a run is reused as long as the skill is the same', async () => {
  const cached = async (): Promise<boolean | undefined> => {
    const { document } = await project.run(['useful', '--variants', 'with']);
    return document.cells[0]?.cached;
  };
  await cached();
  expect(await cached()).toBe(true);
  await project.write('fixtures/skills/stamp/SKILL.md', `${SKILL}More.\n`);
  expect(await cached()).toBe(false);
});

test.each([
  ['skills/gone', '11:18', "skill folder 'skills/gone' was not found"],
  ['GUIDE.md', '11:18', 'is a file; name the folder that contains SKILL.md'],
  ['empty', '11:18', "the folder 'empty' has no SKILL.md"],
])('validate refuses the skill %s at its place', async (skill, place, message) => {
  await project.write('fixtures/wrong.yaml', stamp('wrong', 'echo hi', `subject: {skill: ${skill}}`));
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(`wrong.yaml:${place}`);
  expect(stderr).toContain(message);
});

test('validate refuses a SKILL.md against the standard, at its line', async () => {
  await project.write('fixtures/skills/bad/SKILL.md', '---\nname: Bad\ndescription: ""\n---\n');
  await project.write('fixtures/wrong.yaml', stamp('wrong', 'echo hi', 'subject: {skill: skills/bad}'));
  const { stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(stderr).toContain('skills/bad/SKILL.md:2:7');
  expect(stderr).toContain('expected lower-case letters, digits and single hyphens');
  expect(stderr).toContain('skills/bad/SKILL.md:3:14');
});

test('an agent that cannot be given a skill is refused with the reason, in the matrix and by flag', async () => {
  await project.write('llm-tool-test-config.toml', '[agents.own]\ncommand = "true"\nfree = true\n');
  const more = 'subject: {skill: skills/stamp}\ntool_matrix: [{agent: own}]';
  await project.write('fixtures/wrong.yaml', stamp('wrong', 'echo hi', more));
  const reason = 'own cannot be given skills or instructions: only its own configuration says';
  expect((await project.cli(['validate', 'fixtures/wrong.yaml'])).stderr).toContain(reason);
  expect((await project.cli(['run', 'useless', '--agents', 'own'])).stderr).toContain(reason);
});

test('--dry-run lists what is under test in each variant', async () => {
  const args = ['run', 'useful', '--dry-run'];
  const { stdout } = await project.cli(args);
  expect(stdout).toMatch(/useful with {2}\(.*skill skills\/stamp, gates 1/);
  expect(stdout).toMatch(/useful without {2}\((?!.*skill)/);
  const { scenarios } = JSON.parse((await project.cli([...args, '--json'])).stdout) as {
    scenarios: unknown[];
  };
  expect(scenarios).toMatchObject([
    { variant: 'with', target: null, subject: [{ skill: 'skills/stamp' }] },
    { variant: 'without', subject: [] },
  ]);
});

test('variants can have skills of their own, each with its baseline', async () => {
  await project.write('fixtures/other/stamp/SKILL.md', SKILL);
  const more = [
    'subject: {skill: skills/stamp}',
    'matrix: {variants: [{name: old}, {name: new, subject: {skill: other/stamp}}, {name: bare, subject: []}]}',
  ].join('\n');
  await project.write('fixtures/versions.yaml', stamp('versions', USES_SKILL, more));
  const { document } = await project.run(['versions', '--with-baseline']);
  expect(document.cells.map(({ variant, outcome }) => `${variant} ${outcome ?? ''}`).sort()).toEqual([
    'bare fail',
    'new fail', // It has no stamp.sh.
    'new-without fail',
    'old pass',
    'old-without fail',
  ]);
});

test('regrade checks the work of both sides again, also if only the flag has made the baseline', async () => {
  const named = (path: string) =>
    stamp('again', USES_SKILL, 'subject: {skill: skills/stamp}').replace('out.txt}', path);
  await project.write('fixtures/again.yaml', named('other.txt}'));
  const { document } = await project.run(['again', '--with-baseline']);
  expect(document.cells.map(({ outcome }) => outcome)).toEqual(['fail', 'fail']);
  await project.write('fixtures/again.yaml', named('out.txt}'));
  const { stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const again = (JSON.parse(stdout) as typeof document).cells;
  expect(again.map(({ variant, outcome, regraded_from }) => [variant, outcome, regraded_from?.outcome])).toEqual([
    ['with', 'pass', 'fail'],
    ['without', 'fail', 'fail'],
  ]);
});

const READS_SKILL = `'cat "$HOME/.agents/skills/stamp/SKILL.md"; touch out.txt'`;

test('gates on use count only where the skill is; the gates of the task count on both sides', async () => {
  const gates = ['{type: file_exists, path: out.txt}', '{type: skill_used, skill: stamp}', '{type: skill_not_used}'];
  const used = (name: string, step: string) =>
    scenario(name, {
      target: null,
      gates,
      steps: [`run: ${step}`],
      more: 'subject: {skill: skills/stamp}\nbaseline: true',
    });
  await project.write('fixtures/triggers.yaml', used('triggers', READS_SKILL));
  const { document } = await project.run(['triggers']);
  const verdicts = await Promise.all(
    document.cells.map(async ({ variant }, at) => {
      const { metrics } = await openRun(document, at);
      return [variant, ...metrics.details.map(({ gate_type, status }) => `${gate_type} ${status}`)];
    }),
  );
  expect(verdicts.sort()).toEqual([
    ['with', 'file_exists pass', 'skill_used pass', 'skill_not_used fail'],
    ['without', 'file_exists pass'],
  ]);
});

test.each([
  [
    '{skill: skills/stamp}',
    '{type: skill_used, skill: stmp}',
    "7:33 evaluation.gates[0].skill: the skill 'stmp' is not under test; did you mean 'stamp'?",
  ],
  ['{instructions: GUIDE.md}', '{type: skill_not_used}', '7:7 evaluation.gates[0]: no skill is under test'],
])('validate refuses, with the subject %s, the gate %s', async (subject, gate, message) => {
  await project.write(
    'fixtures/wrong.yaml',
    scenario('wrong', { target: null, gates: [gate], more: `subject: ${subject}` }),
  );
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test('an agent that prints text cannot show that it used a skill', async () => {
  await project.write(
    'fixtures/quiet.yaml',
    scenario('quiet', {
      target: null,
      gates: ['{type: skill_not_used}'],
      steps: ['exit: 0'],
      more: 'subject: {skill: skills/stamp}',
    }),
  );
  const { document } = await project.run(['quiet']);
  expect((await openRun(document)).metrics.details).toMatchObject([{ status: 'error' }]);
});
