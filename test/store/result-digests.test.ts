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
import { forgetReviews, knownReviews } from '../../src/client/sweeps/known-reviews.js';
import { readReview } from '../../src/client/sweeps/read-review.js';
import { digestOf } from '../../src/results/records/result-digest.js';
import { judgedIn } from '../../src/results/review/judged.js';
import { runFiles, resultsLog } from '../../src/store/results-folder.js';
import { forgetDigests, indexFile, readDigests } from '../../src/store/result-digests.js';
import { readResults } from '../../src/store/results-log.js';
import { projectState } from '../../src/platform/folders.js';
import { newFolder } from '../platform/temporary.js';
import { metrics } from '../results/sample.js';
import { resultLine } from './sample.js';

const HOUR = 3_600_000;

let results: string;
let log: string;
let state: string;
beforeEach(async () => {
  // Files that have just changed are not trusted: for these tests, all files are old.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
  vi.stubEnv('LLM_TOOL_TEST_HOME', await newFolder());
  results = await newFolder();
  log = resultsLog(results);
  state = projectState(results).folder;
  mkdirSync(state, { recursive: true });
  forgetDigests();
  forgetReviews();
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
  JSON.stringify(
    resultLine({ id, cell: id, results_dir: id, message: LONG.slice(0, length), metrics: metrics() }),
  );

const rebuilt = () => {
  const { results: all, corrupt } = readResults(log);
  return { results: all.map(digestOf), corrupt };
};
const asRead = () => {
  const { results: all, corrupt } = readDigests(results);
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

function perform(one: typeof action extends fc.Arbitrary<infer T> ? T : never): void {
  const index = indexFile(results);
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
      // a byte in place, so that size and inode stay
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
      rmSync(index, { force: true });
      return;
    }
    case 'index is cut':
      if (existsSync(index)) truncateSync(index, statSync(index).size - 3);
      {
        forgetDigests();
        return;
      }
    case 'index is of another version':
      if (existsSync(index))
        writeFileSync(index, readFileSync(index, 'utf8').replace('"version":', '"version":9'));
      {
        forgetDigests();
        return;
      }
    case 'new process':
      forgetDigests();
      {
        forgetReviews();
        return;
      }
  }
}

test('what is read on is what would be read from the start, whatever happens to the log, its index and reviews', () => {
  let fromIndex = 0;
  fc.assert(
    fc.property(fc.array(action, { minLength: 5, maxLength: 25 }), (actions) => {
      for (const path of [log, indexFile(results), ...['a', 'b', 'c'].map((run) => join(results, run))])
        rmSync(path, { recursive: true, force: true });
      forgetDigests();
      forgetReviews();
      for (const one of actions) {
        perform(one);
        if (one.do === 'new process' && existsSync(indexFile(results))) fromIndex += 1;
        expect(asRead()).toEqual(rebuilt());
        for (const run of ['a', 'b', 'c']) {
          const warnings: string[][] = [[], []];
          const judged = judgedIn(null);
          const [read, direct] = [
            knownReviews(results).read(join(results, run), judged, (text) => warnings[0]?.push(text)),
            readReview(join(results, run), judged, (text) => warnings[1]?.push(text)),
          ];
          expect([read, warnings[0]]).toEqual([direct, warnings[1]]);
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(fromIndex).toBeGreaterThan(0);
}, 120_000);

test('reviews of many runs are kept for later commands, and those that were edited since are read again', () => {
  const runs = Array.from({ length: 300 }, (_, at) => join(results, `run-${at}`));
  const write = (folder: string, score: number): void => {
    mkdirSync(folder, { recursive: true });
    const { evaluation } = runFiles(folder);
    later(evaluation, () => writeFileSync(evaluation, `## Human review\n\n- score: ${score}/5\n`));
  };
  const pointsOf = (folder: string): number | null | undefined =>
    knownReviews(results).read(folder, judgedIn(null), () => undefined)?.points;
  for (const run of runs) write(run, 3);
  expect(new Set(runs.map(pointsOf))).toEqual(new Set([3]));
  knownReviews(results).save();
  const file = join(state, 'index', 'reviews.json');
  // If the files were parsed again, the change would not be seen.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"points":3', '"points":1'));
  forgetReviews();
  write(runs[7] ?? '', 4);
  expect(runs.slice(0, 10).map(pointsOf)).toEqual([1, 1, 1, 1, 1, 1, 1, 4, 1, 1]);
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
    forgetDigests();
    expect(before.results.map((one) => one.id)).toEqual(['a', 'b', 'c']);
    expect(asRead().results.map((one) => one.id)).toEqual(['a', 'from the index', 'c']);
    append('d');
    forgetDigests();
    expect(asRead().results.map((one) => one.id)).toEqual(['a', 'from the index', 'c', 'd']);
  });

  test('is not written for a short log, nor where there is no state folder', () => {
    later(log, () => appendFileSync(log, `${line('a', 10)}\n`));
    readDigests(results);
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
