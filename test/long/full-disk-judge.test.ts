import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { linesIn } from '../commands/engine-parts.js';
import { canMount, DISKS, fill, forbid, collectStderr, mend, onSmallDisks, type Small } from '../chaos/small-disks.js';
import { judged, judgedFiles, judgeEnv, judgment } from '../commands/judged-project.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { openRun, until } from '../commands/project.js';
import { pendingFailure } from './pending-failure.js';

const why = canMount ? '' : ' (skipped: only root may mount a small file system)';

interface Asking {
  one: Small;
  model: ModelServer;
  asked: () => number;
  untilAsked: () => Promise<true>;
}

/** A server of its own is needed only where its own disk cannot be written. */
async function judgedOnSmallDisks(
  { onTestFinished }: TestContext,
  disk: keyof typeof DISKS = 'results',
): Promise<Asking> {
  const model = await createModelServer();
  onTestFinished(() => model.close());
  const one = await onSmallDisks(judgedFiles(model), { ownServer: disk !== 'results' });
  onTestFinished(() => one.remove());
  const start = `run: 'echo start >> ${one.project.folder}/starts; echo milk > note.txt'`;
  await one.project.write('fixtures/w.yaml', judged('w', 'house/thinking', { steps: [start] }));
  const asked = (): number => model.askedOf('thinking').length;
  return { one, model, asked, untilAsked: () => until('the question', () => (asked() === 1 ? true : null)) };
}

/** True if the worker has received the answer and begun to store it. */
function answerHasArrived({ results, state }: Small): true | null {
  const work = join(projectState(results, state).folder, 'work');
  return readdirSync(work).some((run) => existsSync(join(work, run, 'answers'))) ? true : null;
}

async function expectOneAnswer(command: ReturnType<Small['start']>, { project }: Small): Promise<void> {
  const { exitCode, stdout, stderr } = await command;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const document = JSON.parse(stdout) as SweepDocument;
  expect(document.cells).toMatchObject([{ outcome: 'pass', judge_score: 1, starts: 1 }]);
  expect(linesIn(project, 'starts')).toHaveLength(1);
  expect((await openRun(document)).metrics.judge).toMatchObject({ attempts: 1 });
}

describe.concurrent(`a disk that cannot be written while the judge is asked${why}`, () => {
  const cases = [
    ...(['state', 'results', 'both'] as const).map((disk) => ({ how: 'full' as const, disk })),
    { how: 'read-only' as const, disk: 'results' as const },
  ];
  for (const { how, disk } of cases)
    test.runIf(canMount)(
      `${how}, ${disk}: the answer is stored once the disk can be written, and paid for once`,
      async (context) => {
        const { one, model, asked, untilAsked } = await judgedOnSmallDisks(context, disk);
        let answer = (): void => undefined;
        const after = new Promise<void>((resolve) => (answer = resolve));
        model.script('thinking', { say: judgment(1), after });
        const command = one.start(['run', 'w', '--json'], judgeEnv(model));
        const output = collectStderr(command);
        await untilAsked();
        for (const path of DISKS[disk](one)) {
          if (how === 'full') fill(path);
          else await forbid(path);
        }
        await until('the command says what it waits for', () => (/waiting since .*Z: /.test(output()) ? true : null));
        answer();
        await until('the answer', () => answerHasArrived(one));
        // A server whose own disk is full cannot report the failure.
        if (disk === 'results')
          await until('the step waits for the disk', async () =>
            /^judgeRun .*(disk is full|read-only).*waiting since/.test(await pendingFailure(one)) ? true : null,
          );
        for (const path of DISKS[disk](one)) await mend(path);
        await expectOneAnswer(command, one);
        expect(asked()).toBe(1);
      },
    );
});

test.runIf(canMount).concurrent(`a judge is not asked while its answer could not be stored${why}`, async (context) => {
  const { one, model, asked, untilAsked } = await judgedOnSmallDisks(context);
  let fail = (): void => undefined;
  const after = new Promise<void>((resolve) => (fail = resolve));
  model.script('thinking', { status: 503, after }, { say: judgment(1) });
  const command = one.start(['run', 'w', '--json'], judgeEnv(model));
  await untilAsked();
  fill(one.results);
  fail(); // a failed request costs nothing
  await until('the step waits for the disk', async () =>
    /^judgeRun .*disk is full.*waiting since/.test(await pendingFailure(one)) ? true : null,
  );
  expect(asked()).toBe(1);
  await mend(one.results);
  await expectOneAnswer(command, one);
  expect(asked()).toBe(2);
});
