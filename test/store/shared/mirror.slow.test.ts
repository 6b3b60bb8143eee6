import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  fetchRun,
  fetchSweep,
  giveUpEarlierRounds,
  markLost,
  publishResult,
  publishSweep,
  publishWithoutRun,
  pullResults,
} from '../../../src/store/index.js';
import { endSharedRound, beginRound, newestRound, isPaused, notePaused } from '../../../src/store/sweep-round.js';
import { joinSharedProject, sharedProjectOf, type SharedProject } from '../../../src/store/shared/shared-project.js';
import { projectState } from '../../../src/host/folders.js';
import { originKey } from '../../../src/store/origin.js';
import { readResults } from '../../../src/store/results-log.js';
import { planFile, resultsLog, runFiles, summaryFile } from '../../../src/store/results-folder.js';
import { joinAs } from './join-as.js';
import { createMemory } from '../../../src/host/remembered.js';
import { newFolder } from '../../host/temporary.js';
import { resultLine } from '../sample.js';

const linesOf = ({ resultsPath }: SharedProject) => readResults(resultsLog(resultsPath)).results;
const idsOf = (project: SharedProject): string[] => linesOf(project).map(({ id }) => id);

/** Writes a run's folder, as a worker does before it publishes the result. */
async function writeRun({ resultsPath }: SharedProject, run: string): Promise<void> {
  const files = runFiles(join(resultsPath, run));
  await mkdir(files.artifacts, { recursive: true });
  await writeFile(files.run, JSON.stringify({ run_id: run }));
  await writeFile(files.metrics, '{}');
}

const cell = (name: string, round = 1, incarnation = 1) => ({ sweep: 's', cell: name, round, incarnation });

let one: SharedProject;
let two: SharedProject;

beforeEach(async () => {
  const location = await newFolder();
  one = await joinAs(await newFolder(), location);
  two = await joinAs(await newFolder(), location);
  await mkdir(join(one.resultsPath, 'sweeps', 's'), { recursive: true });
  await writeFile(planFile(one.resultsPath, 's'), '{"scenarios":[]}');
  await publishSweep(one, 's');
  await beginRound(one.resultsPath, 's', 1);
});

const publish = async (project: SharedProject, name: string, run: string, round = 1, incarnation = 1) => {
  await writeRun(project, run);
  return publishResult(project, cell(name, round, incarnation), resultLine({ id: run, sweep: 's', cell: name }));
};

describe('a shared project', () => {
  it('is the same project on every machine, with a mirror in the private state of each', async () => {
    expect(two.id).toBe(one.id);
    expect(two.resultsPath).not.toBe(one.resultsPath);
    expect(projectState(one.resultsPath)).toEqual({ id: one.id, folder: one.stateFolder });
    expect((await sharedProjectOf(one.resultsPath))?.location).toBe(one.location);
    expect(await sharedProjectOf(one.location)).toBeNull();
  });

  it('has one key for proofs of origin', async () => {
    const [a, b] = await Promise.all(
      [one, two].map(({ resultsPath, stateFolder }) => originKey({ resultsPath, stateFolder })),
    );
    expect(a).toHaveLength(32);
    expect(a).toEqual(b);
  });

  it('is created only if asked', async () => {
    const folder = await newFolder();
    await expect(joinSharedProject(folder)).rejects.toThrow('no results are shared at');
  });

  it('is not created in place of one that is not mounted', async () => {
    const mounted = join(one.location, '.shared');
    await rename(mounted, `${mounted}.away`);
    try {
      await expect(joinAs(dirname(one.stateFolder), one.location)).rejects.toThrow(
        `${one.location} has no .shared/project.json, but this machine has used shared results there: is it mounted?`,
      );
      expect(existsSync(mounted)).toBe(false);
    } finally {
      await rename(`${mounted}.away`, mounted);
    }
    expect((await joinAs(dirname(one.stateFolder), one.location)).id).toBe(one.id);
  });

  it('is not created among results of one machine', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'sweeps'));
    await expect(joinAs(await newFolder(), folder)).rejects.toThrow(
      `${folder} contains results of one machine; share another folder`,
    );
  });
});

describe('results of runs', () => {
  it('reach the other mirror, with the folder of the run on demand', async () => {
    expect(await publish(one, 'a', 'run-a')).toBe('published');
    await pullResults(two);
    expect(idsOf(two)).toEqual(['run-a']);
    expect(existsSync(join(two.resultsPath, 'run-a'))).toBe(false);
    expect(await fetchRun(two, 'run-a')).toBe(true);
    expect(await readFile(runFiles(join(two.resultsPath, 'run-a')).run, 'utf8')).toBe('{"run_id":"run-a"}');
    expect(await fetchRun(two, 'no-run')).toBe(false);
  });

  it('are published once: the host that comes second learns of the result of the first', async () => {
    await publish(one, 'a', 'run-1');
    const second = await publish(two, 'a', 'run-2');
    expect(second).toMatchObject({ line: { id: 'run-1' } });
    expect(idsOf(two)).toEqual(['run-1']);
  });

  it('do not count after the host was taken for lost, and leave nothing in the shared place', async () => {
    expect(await markLost(two, cell('a'), { host: 'one', at: 'now' })).toBeNull();
    expect(await publish(one, 'a', 'run-1')).toBe('lost');
    expect(await two.store.getFileOf('run-1', 'metrics.json')).toBeNull();
    expect(await publish(two, 'a', 'run-2', 1, 2)).toBe('published');
    for (const project of [one, two]) {
      await pullResults(project);
      expect(idsOf(project)).toEqual(['run-2']);
    }
  });

  it('count if they were published just before the host was taken for lost', async () => {
    await publish(one, 'a', 'run-1');
    expect(await markLost(two, cell('a'), { host: 'one', at: 'now' })).toMatchObject({ id: 'run-1' });
  });

  it('of cells without a run take the place of the last run that may still end', async () => {
    await markLost(two, cell('a'), { host: 'one', at: 'now' });
    const line = resultLine({ id: 's/a', sweep: 's', cell: 'a', outcome: 'error', results_dir: null });
    await publishWithoutRun(one, { sweep: 's', cell: 'a', round: 1 }, line);
    expect(await publish(two, 'a', 'late', 1, 2)).toMatchObject({ line: { id: 's/a' } });
  });
});

describe('rounds', () => {
  const end = (project: SharedProject, round: number): Promise<void> =>
    endSharedRound(
      project,
      's',
      round,
      JSON.stringify({ status: 'completed', cells: [{ results_dir: join(project.resultsPath, 'run-1') }] }),
    );

  it('that have ended are brought as a whole, with the summary for this machine', async () => {
    await publish(one, 'a', 'run-1');
    await end(one, 1);
    await pullResults(two);
    expect(idsOf(two)).toEqual(['run-1']);
    const summary = JSON.parse(await readFile(summaryFile(two.resultsPath, 's'), 'utf8')) as object;
    expect(summary).toMatchObject({ cells: [{ results_dir: join(two.resultsPath, 'run-1') }] });
  });

  it('open the sweep again on every machine', async () => {
    await publish(one, 'a', 'run-1');
    await end(one, 1);
    await pullResults(two);
    await beginRound(two.resultsPath, 's', 2);
    await publish(two, 'a', 'run-2', 2);
    await pullResults(one);
    expect(existsSync(summaryFile(one.resultsPath, 's'))).toBe(false);
    expect(await newestRound(one.resultsPath, 's')).toBe(2);
    expect(idsOf(one)).toEqual(['run-1', 'run-2']);
  });

  it('put results of later rounds after earlier ones, on a machine that has none of them', async () => {
    await publish(one, 'a', 'run-1');
    await end(one, 1);
    await beginRound(one.resultsPath, 's', 2);
    await publish(two, 'a', 'run-2', 2);
    expect(idsOf(two)).toEqual(['run-1', 'run-2']);
  });

  it('give up what is left of earlier rounds', async () => {
    await beginRound(one.resultsPath, 's', 2);
    await giveUpEarlierRounds(one, 's', 2, [{ cell: 'a', redo: 0 }]);
    expect(await publish(two, 'a', 'late')).toBe('lost');
    await publish(one, 'b', 'run-b');
    await giveUpEarlierRounds(two, 's', 2, [{ cell: 'b', redo: 0 }]);
    expect(idsOf(two)).toEqual(['run-b']);
  });

  it('are fetched only once: another process of the machine lists, and reads nothing', async () => {
    await publish(one, 'a', 'run-1');
    await publish(one, 'b', 'run-2');
    await pullResults(two);
    const read: string[] = [];
    const watched = {
      ...two,
      store: { ...two.store, get: (name: string) => (read.push(name), two.store.get(name)) },
    };
    await pullResults(watched);
    expect(read).toEqual([]);
    await end(one, 1);
    await pullResults(two);
    await pullResults(watched);
    expect(read).toEqual([]);
    expect(idsOf(two)).toEqual(['run-1', 'run-2']);
  });

  it('show on every machine that the sweep is paused', async () => {
    await notePaused(one.resultsPath, 's', true);
    await pullResults(two);
    expect(isPaused(two.resultsPath, 's')).toBe(true);
    await notePaused(two.resultsPath, 's', false);
    await pullResults(one);
    expect(isPaused(one.resultsPath, 's')).toBe(false);
  });
});

describe('plans', () => {
  it('reach other machines with everything that they refer to', async () => {
    const hash = 'a'.repeat(64);
    const fixture = 'b'.repeat(64);
    const stored = join(one.resultsPath, '.store');
    await mkdir(join(stored, hash), { recursive: true });
    await mkdir(join(stored, fixture, 'initial-state'), { recursive: true });
    await writeFile(join(stored, hash, 'scenario.json'), JSON.stringify({ fixture }));
    await writeFile(join(stored, fixture, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    await mkdir(join(one.resultsPath, 'sweeps', 't'));
    await writeFile(planFile(one.resultsPath, 't'), JSON.stringify({ scenarios: [{ hash }] }));
    await publishSweep(one, 't');
    await publishSweep(one, 't');
    await fetchSweep(two, 't');
    expect(await readFile(planFile(two.resultsPath, 't'), 'utf8')).toContain(hash);
    expect(existsSync(join(two.resultsPath, '.store', fixture, 'initial-state'))).toBe(true);
    await cp(join(two.resultsPath, '.store', fixture), join(await newFolder(), 'copy'), { recursive: true });
  });

  it('that are unknown change nothing', async () => {
    await fetchSweep(two, 'unknown');
    expect(existsSync(planFile(two.resultsPath, 'unknown'))).toBe(false);
  });
});

describe('whatever hosts do at the same time', () => {
  const host = fc.integer({ min: 0, max: 1 });
  const run = fc.record({ name: fc.constantFrom('a', 'b'), incarnation: fc.integer({ min: 1, max: 2 }) });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('publish' as const), host, run }),
    fc.record({ kind: fc.constant('lost' as const), host, run }),
    fc.record({ kind: fc.constant('pull' as const), host, run }),
  );

  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  it('each run ends once, and all mirrors have the same results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 5 }), async (batches) => {
        const location = await newFolder();
        const hosts = [await joinAs(await newFolder(), location), await joinAs(await newFolder(), location)];
        await beginRound(hosts[0]?.resultsPath ?? '', 's', 1);
        const told = new Map<string, Set<string>>();
        let number = 0;
        const perform = async ({ kind, host, run: { name, incarnation } }: Step) => {
          const project = hosts[host] as SharedProject;
          const key = `${name} ${incarnation}`;
          const tell = (end: string) => told.set(key, (told.get(key) ?? new Set()).add(end));
          const id = `run-${number++}`;
          if (kind === 'pull') await pullResults(project);
          else if (kind === 'lost') {
            const line = await markLost(project, cell(name, 1, incarnation), { host: 'x', at: id });
            tell(line?.id ?? 'lost');
          } else {
            const end = await publish(project, name, id, 1, incarnation);
            tell(end === 'published' ? id : end === 'lost' ? end : end.line.id);
          }
        };
        for (const batch of batches) await Promise.all(batch.map(perform));
        for (const project of hosts) await pullResults(project);
        const wanted = [...told.values()].map((ends) => {
          expect(ends.size).toBe(1);
          return [...ends][0] ?? '';
        });
        for (const project of hosts)
          expect(idsOf(project).sort()).toEqual(wanted.filter((end) => end !== 'lost').sort());
      }),
      { numRuns: 25 },
    );
  });
});

describe('the inputs of a sweep that several steps want at once', () => {
  it('are fetched once', async () => {
    let reads = 0;
    const counting = {
      ...two,
      store: {
        ...two.store,
        get: (name: string) => {
          reads += 1;
          return two.store.get(name);
        },
      },
    };
    await createMemory().during(() => Promise.all(Array.from({ length: 5 }, () => fetchSweep(counting, 's'))));
    expect(reads).toBe(1);
  });
});
