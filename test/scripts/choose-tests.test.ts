import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseTests, SHARES, shareOf } from '../../scripts/select-tests/choose-tests.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => `test/${name}.test.ts`);
const aTest = (file: string, { seconds = 10, covers = [] as string[] } = {}) => ({ file, seconds, covers });
/** Returns a day on which none of these tests has its turn. */
const anotherDay = (...files: string[]): number =>
  Array.from({ length: SHARES }, (_, day) => day).find((day) => !files.some((file) => shareOf(file) === day)) ?? -1;

const nothing = { changed: [], coveredByAll: [], imports: new Map<string, string[]>(), seconds: 1000 };

describe('the tests that run', () => {
  test('are, in seven days in a row, all tests, each of them once, if nothing has changed', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.nat(), (files, day) => {
        const tests = files.map((file) => aTest(file));
        const week = Array.from({ length: SHARES }, (_, later) =>
          chooseTests({ ...nothing, tests, day: day + later, seconds: 0 }),
        );
        expect(week.flatMap(({ share }) => share).toSorted()).toEqual(files.toSorted());
      }),
    );
  });

  test('of a day stay the same when other tests come', () => {
    const of = (files: string[]): string[] =>
      chooseTests({ ...nothing, tests: files.map((file) => aTest(file)), day: 3 }).share;
    expect(of(names)).toEqual(expect.arrayContaining(of(names.slice(0, 5))));
  });

  test('fit into the time, apart from those of the day, and none is lost', () => {
    const secs = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(fc.array(secs, { minLength: 10, maxLength: 10 }), fc.nat(500), fc.nat(20), (all, seconds, day) => {
        const tests = names.map((file, at) => aTest(file, { seconds: all[at] ?? 1, covers: ['src/'] }));
        const chosen = chooseTests({ ...nothing, tests, changed: ['src/x.ts'], seconds, day });
        const { share, affected, left, unaffected } = chosen;
        expect([...share, ...affected, ...left, ...unaffected].toSorted()).toEqual(names);
        const total = (files: string[]): number =>
          tests.reduce((sum, one) => sum + (files.includes(one.file) ? one.seconds : 0), 0);
        if (affected.length > 0) expect(total(share) + total(affected)).toBeLessThanOrEqual(seconds);
        const room = seconds - total(share) - total(affected);
        for (const file of left) expect(total([file])).toBeGreaterThan(room);
      }),
    );
  });
});

describe('a change', () => {
  const [one = '', other = ''] = names;
  const day = anotherDay(one, other);
  const imports = new Map([
    [one, ['test/helper.ts', 'src/near.ts']],
    ['test/helper.ts', ['src/far.ts']],
    ['src/far.ts', ['src/near.ts']], // a circle does no harm
    ['src/near.ts', ['src/far.ts']],
    ['src/covered/a.ts', ['src/below.ts']],
  ]);
  const chosen = (changed: string[], seconds = 1000) =>
    chooseTests({
      ...nothing,
      tests: [aTest(one), aTest(other, { covers: ['src/covered/', 'Dockerfile'] })],
      imports,
      changed,
      day,
      seconds,
    });

  test.each([
    ['its own file', one, [one]],
    ['a module that it imports', 'src/near.ts', [one]],
    ['a module that a helper of it imports', 'src/far.ts', [one]],
    ['a file in a folder that it covers, even if it was removed', 'src/covered/gone.ts', [other]],
    ['what a module that it covers imports', 'src/below.ts', [other]],
    ['a file that it covers, which is no module', 'Dockerfile', [other]],
    ['none of these', 'README.md', []],
    ['a file whose name only begins like that of a covered one', 'Dockerfile.old', []],
  ])('affects a test if it is in %s', (_, changed, affected) => {
    expect(chosen([changed])).toMatchObject({ affected, left: [] });
  });

  test('that is nearer goes first if there is not enough time', () => {
    expect(chosen(['src/far.ts', 'src/covered/a.ts'], 10)).toMatchObject({ affected: [other], left: [one] });
    expect(chosen([one, 'src/below.ts'], 10)).toMatchObject({ affected: [one], left: [other] });
  });

  test('of what all tests depend on affects all, the nearer ones first', () => {
    const all = chooseTests({
      ...nothing,
      tests: [aTest(one), aTest(other)],
      imports,
      day,
      changed: ['package-lock.json', other],
      coveredByAll: ['package-lock.json'],
    });
    expect(all).toMatchObject({ affected: [other, one], unaffected: [] });
  });
});
