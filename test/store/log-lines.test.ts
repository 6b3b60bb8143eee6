import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openReviews, type KnownReviews } from '../../src/sweeps/known-reviews.js';
import { readReview } from '../../src/sweeps/read-review.js';
import { digestOf } from '../../src/model/records/result-digest.js';
import { judgedIn } from '../../src/model/review/judged.js';
import { runFiles, resultsLog } from '../../src/store/results-folder.js';
import { indexFile, openResultsIndex, type ResultsIndex } from '../../src/store/results-index.js';
import { readResults } from '../../src/store/results-log.js';
import { projectState } from '../../src/host/folders.js';
import { newFolder } from '../host/temporary.js';
import { metrics } from '../model/sample.js';
import { resultLine } from './sample.js';

const HOUR = 3_600_000;

let results: string;
let log: string;
let state: string;
/** Index and reviews of the process that reads. */
let index: ResultsIndex;
let reviews: KnownReviews;

/** Forgets what was read. */
function beginProcess(): void {
  index = openResultsIndex(results);
  reviews = openReviews(results);
}

beforeEach(async () => {
  // Files that have just changed are not trusted: for these tests, all files are old.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
  vi.stubEnv('LLM_TOOL_TEST_HOME', await newFolder());
  results = await newFolder();
  log = resultsLog(results);
  state = projectState(results).folder;
  mkdirSync(state, { recursive: true });
  beginProcess();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** Ends once the file's time of change is another one than before: clocks of file systems advance in steps. */
function later(file: string, change: () => void): void {
  const stamp = (): string => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '-' : String(stat.ctimeNs);
  };
  const before = stamp();
  change();
  while (existsSync(file) && stamp() === before) utimesSync(file, new Date(), new Date());
}

const LONG = 'x'.repeat(100_000);
/** A few of these are worth an index. */
const line = (id: string, length: number): string =>
  JSON.stringify(resultLine({ id, cell: id, results_dir: id, message: LONG.slice(0, length), metrics: metrics() }));

const rebuilt = () => {
  const { results: all, corrupt } = readResults(log);
  return { results: all.map(digestOf), corrupt };
};
const asRead = () => {
  // Another process, which keeps none of them.
  const picked = openResultsIndex(results).pick((one) => one);
  const { results: all, corrupt } = index.digests();
  expect(picked).toEqual({ results: all, corrupt });
  return { results: all, corrupt };
};

const id = fc.constantFrom('a', 'b', 'c');
const oneLine = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(id, fc.constantFrom(10, 10, LONG.length)).map(([name, length]) => line(name, length)),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '{"not": "a result"}', 'no JSON', '\0') },
);
const ACTIONS = ['index is deleted', 'index is cut', 'index is of another version', 'new process'] as const;
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), text: oneLine }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tear' as const), text: oneLine }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('replace' as const), lines: fc.array(oneLine, { maxLength: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      at: fc.nat(),
      to: fc.constantFrom('a', 'b', '}'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate' as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('review' as const),
      id,
      score: fc.constantFrom('3', '4', 'many', ''),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...ACTIONS) }) },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Enough for an index, which the next process starts from. */
const INDEXED: Action[] = ['a', 'b', 'c'].map((name) => ({ do: 'append', text: line(name, LONG.length) }));

function perform(one: Action): void {
  const file = indexFile(results);
  switch (one.do) {
    case 'append': {
      later(log, () => appendFileSync(log, `${one.text}\n`));
      return;
    }
    case 'tear': {
      later(log, () => appendFileSync(log, one.text.slice(0, one.text.length / 2)));
      return;
    }
    case 'replace':
      writeFileSync(`${log}.new`, one.lines.map((text) => `${text}\n`).join(''));
      {
        later(log, () => renameSync(`${log}.new`, log));
        return;
      }
    case 'edit': {
      // A byte in place, so that size and inode stay.
      if (!existsSync(log)) return;
      const bytes = readFileSync(log);
      if (bytes.length === 0) return;
      bytes.write(one.to, one.at % bytes.length);
      later(log, () => writeFileSync(log, bytes));
      return;
    }
    case 'truncate':
      if (!existsSync(log)) return;
      {
        later(log, () => truncateSync(log, one.at % (statSync(log).size + 1)));
        return;
      }
    case 'review': {
      const { evaluation, folder } = runFiles(join(results, one.id));
      mkdirSync(folder, { recursive: true });
      later(evaluation, () => writeFileSync(evaluation, `## Human review\n\n- score: ${one.score}\n`));
      return;
    }
    case 'index is deleted': {
      rmSync(file, { force: true });
      return;
    }
    case 'index is cut':
      if (existsSync(file)) truncateSync(file, statSync(file).size - 3);
      beginProcess();
      return;
    case 'index is of another version':
      if (existsSync(file)) writeFileSync(file, readFileSync(file, 'utf8').replace('"version":', '"version":9'));
      beginProcess();
      return;
    case 'new process':
      beginProcess();
  }
}

const some = fc.array(action, { minLength: 2, maxLength: 12 });
const START_FROM_INDEX: Action = { do: 'new process' };
const RUNS = 60;

test('what is read on is what would be read from the start, whatever happens to the log, its index and reviews', () => {
  let fromIndex = 0;
  fc.assert(
    fc.property(some, some, (before, after) => {
      for (const path of [log, indexFile(results), ...['a', 'b', 'c'].map((run) => join(results, run))])
        rmSync(path, { recursive: true, force: true });
      beginProcess();
      for (const one of [...before, ...INDEXED, START_FROM_INDEX, ...after]) {
        if (one === START_FROM_INDEX && existsSync(indexFile(results))) fromIndex += 1;
        perform(one);
        expect(asRead()).toEqual(rebuilt());
        for (const run of ['a', 'b', 'c']) {
          const warnings: string[][] = [[], []];
          const judged = judgedIn(null);
          const [read, direct] = [
            reviews.read(join(results, run), judged, (text) => warnings[0]?.push(text)),
            readReview(join(results, run), judged, (text) => warnings[1]?.push(text)),
          ];
          expect([read, warnings[0]]).toEqual([direct, warnings[1]]);
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(fromIndex).toBe(RUNS);
}, 120_000);

test('reviews of many runs are kept for later commands, and those that were edited since are read again', () => {
  const runs = Array.from({ length: 300 }, (_, at) => join(results, `run-${at}`));
  const write = (folder: string, score: number): void => {
    mkdirSync(folder, { recursive: true });
    const { evaluation } = runFiles(folder);
    later(evaluation, () => writeFileSync(evaluation, `## Human review\n\n- score: ${score}/5\n`));
  };
  const pointsOf = (folder: string): number | null | undefined =>
    reviews.read(folder, judgedIn(null), () => undefined)?.points;
  for (const run of runs) write(run, 3);
  expect(new Set(runs.map(pointsOf))).toEqual(new Set([3]));
  reviews.save();
  const file = join(state, 'index', 'reviews.json');
  // If the files were parsed again, the change would not be seen.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"points":3', '"points":1'));
  beginProcess();
  write(runs[7] ?? '', 4);
  expect(runs.slice(0, 10).map(pointsOf)).toEqual([1, 1, 1, 1, 1, 1, 1, 4, 1, 1]);
});

test('names a log that cannot be read, whether it has read it before or not', () => {
  later(log, () => appendFileSync(log, `${line('a', 10)}\n`));
  const warm = [() => index.digests(), () => index.line('a')];
  for (const read of warm) read();
  renameSync(log, `${log}.away`);
  mkdirSync(log);
  const cold = openResultsIndex(results);
  for (const read of [...warm, () => cold.digests(), () => cold.line('a')])
    expect(read).toThrow(expect.objectContaining({ code: 'EISDIR', path: log }) as Error);
  rmSync(log, { recursive: true });
  renameSync(`${log}.away`, log);
  expect(asRead().results.map((one) => one.id)).toEqual(['a']);
});

describe('the index', () => {
  const append = (...names: string[]): void => {
    for (const name of names) later(log, () => appendFileSync(log, `${line(name, LONG.length)}\n`));
  };

  test('is what a new process starts from: it does not parse again what the index has', () => {
    append('a', 'b', 'c');
    const before = asRead();
    const file = indexFile(results);
    // If the log were parsed, the change would not be seen.
    writeFileSync(file, readFileSync(file, 'utf8').replace('"id":"b"', '"id":"from the index"'));
    beginProcess();
    expect(before.results.map((one) => one.id)).toEqual(['a', 'b', 'c']);
    expect(asRead().results.map((one) => one.id)).toEqual(['a', 'from the index', 'c']);
    append('d');
    beginProcess();
    expect(asRead().results.map((one) => one.id)).toEqual(['a', 'from the index', 'c', 'd']);
  });

  test('is not written for a short log, nor where there is no state folder', () => {
    later(log, () => appendFileSync(log, `${line('a', 10)}\n`));
    index.digests();
    expect(existsSync(indexFile(results))).toBe(false);
    rmSync(state, { recursive: true });
    append('b', 'c', 'd');
    expect(asRead()).toEqual(rebuilt());
    expect(existsSync(state)).toBe(false);
  });

  test('does no harm where nothing can be written', () => {
    writeFileSync(join(state, 'index'), 'a file where the folder should be');
    append('a', 'b', 'c');
    expect(asRead()).toEqual(rebuilt());
  });
});
