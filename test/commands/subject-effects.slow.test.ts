import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n\nRun stamp.sh.\n',
  });
});
afterAll(() => project.remove());

/**
 * Writes a scenario whose nth run passes as its side says: 1 passes, 0 fails, and the outcomes repeat. The agent has
 * only its HOME to know its side by, as a model has only its requests.
 */
async function writeSides(name: string, sides: { with: string; without: string }): Promise<void> {
  const counts = join(project.folder, `counts-${name}`);
  await mkdir(counts);
  await project.write(
    'bin/try',
    `#!/bin/sh
# try COUNTS WITH WITHOUT
side=without outcomes=$3
if test -e "$HOME/.agents/skills/stamp/SKILL.md"; then side=with outcomes=$2; fi
nth=0
until mkdir "$1/$side.$nth"; do nth=$((nth + 1)); done
if [ "$(printf %s "$outcomes" | cut -c$((nth % \${#outcomes} + 1)))" = 1 ]; then touch out.txt; fi
`,
    0o755,
  );
  await project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      target: null,
      gates: ['{type: file_exists, path: out.txt}'],
      steps: [`run: ${join(project.folder, 'bin/try')} ${counts} ${sides.with} ${sides.without}`],
      more: 'subject: {skill: skills/stamp}',
    }),
  );
}

test.each([
  { effect: 'a large one', sides: { with: '11110', without: '00001' }, each: 8, verdict: 'better' },
  { effect: 'one that harms', sides: { with: '0001', without: '1' }, each: 8, verdict: 'worse' },
  {
    effect: 'one that so few runs cannot show',
    sides: { with: '110', without: '10' },
    each: 6,
    verdict: 'no difference shown',
  },
  { effect: 'none', sides: { with: '10', without: '10' }, each: 6, verdict: 'no difference shown' },
  {
    effect: 'a large one in too few runs',
    sides: { with: '1', without: '0' },
    each: 2,
    verdict: 'too few runs',
  },
])('of $effect, `run --with-baseline` and `compare` say $verdict', async ({ effect, sides, each, verdict }) => {
  const name = effect.replaceAll(' ', '_');
  await writeSides(name, sides);
  const { document } = await project.run([name, '--with-baseline', '--repeat', String(each)]);
  const args = ['compare', document.sweep, '--variants', 'without,with', '--json'];
  const compared = Comparison.parse(JSON.parse((await project.cli(args)).stdout));
  const passed = (outcomes: string): number =>
    Array.from({ length: each }, (_, nth) => Number(outcomes[nth % outcomes.length])).reduce((a, b) => a + b);
  expect(compared).toMatchObject({
    verdict,
    total: {
      base: { passed: passed(sides.without), tested: each },
      head: { passed: passed(sides.with), tested: each },
    },
  });
});

test('--until-clear with a baseline decides on an effect, and leaves none undecided', async () => {
  await writeSides('clear', { with: '11110', without: '0' });
  await writeSides('never', { with: '10', without: '10' });
  const decide = async (name: string, most: string) => {
    const which = ['--with-baseline', '--variants', 'with', '--until-clear', '--base', 'without'];
    return (await project.run([name, ...which, '--max-runs', most])).document.decision;
  };
  const found = await decide('clear', '20');
  expect(found).toMatchObject({ verdict: 'better', stopped: 'clear', most_runs: 40 });
  expect(found?.runs).toBeLessThan(40);
  expect(await decide('never', '8')).toMatchObject({ verdict: 'undecided', stopped: 'most runs', runs: 16 });
});
