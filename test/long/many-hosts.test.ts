import { describe, expect, test } from 'vitest';
import { documentOf } from '../commands/project.js';
import { expectWhole } from './hosts/expect-whole.js';
import { networkProblem } from './hosts/network.js';
import { disturb, drawFaults, SLOTS } from './hosts/random-faults.js';
import { createLab, createTeam, startSweep, writeScenario } from './hosts/team.js';

/** LONG_SEED=2000 uses other numbers; LONG_SWEEPS=6 has fewer faults, HOSTS_CELLS=50 fewer cells. */
const seed = Number(process.env['LONG_SEED'] ?? '1000');
const cells = Number(process.env['HOSTS_CELLS'] ?? '200');
const faults = Number(process.env['LONG_SWEEPS'] ?? '40') < 40 ? 8 : 16;
const lostSecs = 12;

const problem = networkProblem();
const why = problem === null ? '' : ` (skipped: ${problem})`;

describe.skipIf(problem !== null)(`hosts that share results${why}`, () => {
  test(
    `have one result for each of ${cells} cells after ${faults} random faults (seed ${seed})`,
    { timeout: 1_800_000 },
    async () => {
      const lab = await createLab();
      const team = await createTeam(lab, { lostSecs });
      try {
        await writeScenario(team, { secs: 0.5 });
        for (const name of ['a', 'b', 'c']) team.work(team.add(name), SLOTS);
        const began = Date.now();
        const sweep = await startSweep(team, cells, 3 * SLOTS);
        const command = team.start(['resume', sweep, '--json']);
        let isOver = false;
        void command.then(() => (isOver = true));
        const { log, living } = await disturb(team, sweep, drawFaults(seed, faults, cells), () => isOver);
        const secs = Math.round((Date.now() - began) / 1000);
        console.log(`seed ${seed}: ${cells} cells in ${secs} s; ${log.length} events`);
        const { exitCode, stdout, stderr } = await command;
        expect(exitCode, stderr).toBe(0);
        expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: cells } });
        const { again, starts } = await expectWhole(team, sweep, cells, living);
        console.log(`seed ${seed}: ${again} runs done again, ${starts} starts of agents`);
      } finally {
        await team.remove();
        await lab.remove();
      }
    },
  );
});
