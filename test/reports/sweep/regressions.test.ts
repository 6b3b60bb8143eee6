import { expect, test } from 'vitest';
import { groupRegressions } from '../../../src/reports/sweep/regressions.js';
import { cell } from '../../model/sample.js';

test('says how many runs of a configuration got worse, if there are several', () => {
  const regressions = [{ kind: 'gate' as const, message: 'gate newly failing: a', since: 'x', runs: 30 }];
  const shares = (runs: number): (string | null)[] =>
    groupRegressions(Array.from({ length: runs }, (_, at) => cell({ repetition: at + 1, regressions }))).map(
      ({ share }) => share,
    );
  expect(shares(1)).toEqual([null]);
  expect(shares(2)).toEqual(['2 of 2 runs']);
});
