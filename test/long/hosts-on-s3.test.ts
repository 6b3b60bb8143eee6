import { expect, onTestFinished, test } from 'vitest';
import { documentOf, until } from '../commands/project.js';
import { findVersitygw, startVersitygw } from '../store/shared/versitygw.js';
import { expectWhole } from './hosts/expect-whole.js';
import { networkProblem } from './hosts/network.js';
import { countEnds, createLab, createTeam, startsOf, startSweep, writeScenario } from './hosts/team.js';

const CELLS = 20;
const SLOTS = 3;

const program = findVersitygw();
const problem = networkProblem() ?? (program === null ? 'versitygw is not installed' : null);
const why = problem === null ? '' : ` (skipped: ${problem})`;

test.skipIf(problem !== null)(`hosts that share a bucket lose nothing when one is killed${why}`, async () => {
  const lab = await createLab();
  onTestFinished(lab.remove);
  const team = await createTeam(lab, {
    lostSecs: 12,
    shareIn: async (at) => {
      const { env, stop } = await startVersitygw(program ?? '', at);
      return { results: 's3://tests/team', env, stop };
    },
  });
  onTestFinished(team.remove);
  await writeScenario(team, { secs: 1 });
  const [a, b] = [team.add('a'), team.add('b')];
  for (const host of [a, b]) team.work(host, SLOTS);
  const sweep = await startSweep(team, CELLS, 2 * SLOTS);
  const onA = (): number => startsOf(team).filter(({ host }) => host === 'a').length;
  await until('results', async () => ((await countEnds(team, sweep)) > 4 && onA() > 0 ? true : null), 240_000);
  await a.kill();
  const { exitCode, stdout, stderr } = await team.start(['resume', sweep, '--json']);
  expect(exitCode, stderr).toBe(0);
  expect(documentOf(stdout).totals).toMatchObject({ passed: CELLS });
  await expectWhole(team, sweep, CELLS, [b]);
});
