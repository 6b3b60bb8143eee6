import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { canMount, fill, mend, onSmallDisks } from '../chaos/small-disks.js';
import { linesIn } from '../commands/engine-parts.js';
import { gatedCommand, letGo, sweepOf, untilStarted } from '../commands/gated.js';
import { documentOf, scenario, until } from '../commands/project.js';
import { processesWith } from '../host/processes.js';
import { isCancelled, pendingFailure } from './pending-failure.js';

const why = canMount ? '' : ' (skipped: only root may mount a small file system)';

const ENDS = [
  { room: 'comes while the run is being cancelled', outcomes: ['pass', 'error'] },
  { room: 'comes only after the run has ended', outcomes: ['error'] },
];

describe.concurrent(`a run that is cancelled while its report waits for a disk${why}`, () => {
  for (const { room, outcomes } of ENDS)
    test.runIf(canMount)(
      `has exactly one result, and leaves nothing running, if room ${room}`,
      async ({ onTestFinished }) => {
        const one = await onSmallDisks({}, { limits: { cancelledReportMs: 3000 } });
        onTestFinished(() => one.remove());
        const { project, state, results, start } = one;
        const more = `scripts: {post: [{command: '${gatedCommand(project, 'post')}', timeout_secs: 900}]}`;
        const steps = [`run: 'echo start >> ${project.folder}/starts'`];
        await project.write('fixtures/w.yaml', scenario('w', { steps, more }));
        expect((await start(['run', 'w', '--name', 'w', '--detach'])).exitCode).toBe(0);
        const sweep = await sweepOf({ ...project, results }, 'w');
        await untilStarted(project, 'post');
        fill(results);
        await letGo(project, 'post');
        await until('the report waits for the disk', async () =>
          /^writeReport .*disk is full/.test(await pendingFailure(one)) ? true : null,
        );

        const cancelling = start(['cancel', sweep, '--json']);
        await until('the run is being cancelled', async () => ((await isCancelled(one)) ? true : null));
        if (room === 'comes only after the run has ended')
          await until('the run has ended', async () => ((await pendingFailure(one)) === '' ? true : null));
        await mend(results);
        const { exitCode, stdout, stderr } = await cancelling;
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
        expect(documentOf(stdout).status).toBe('cancelled');

        const lines = linesIn({ ...project, folder: results }, 'results.jsonl');
        const [line, ...others] = lines.map((line) => JSON.parse(line) as ResultLine);
        expect(others).toEqual([]);
        expect(outcomes).toContain(line?.outcome);
        if (line?.outcome === 'error')
          expect(line.message).toMatch(/the run was cancelled while its report waited to be written$/);
        const shown = documentOf((await start(['show', sweep, '--json'])).stdout);
        expect(shown.cells).toMatchObject([{ outcome: line?.outcome, message: line?.message }]);
        expect(linesIn(project, 'starts')).toHaveLength(1);
        expect(readdirSync(join(projectState(results, state).folder, 'open-runs'))).toEqual([]);
        expect(processesWith(`${project.folder}/post.go`)).toEqual([]);
        expect(await pendingFailure(one)).toBe('');
      },
    );
});
