import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/lib/errors/problem.js';
import { check } from '../../src/input/check.js';
import { formatPath, type Path } from '../../src/input/source.js';
import { casesOf, kinds, type Case, type Kind } from './cases.js';
import { fieldsOf, parsePath, pathsIn, placeOf, rulesBroken, type Field, type Place } from './schema-fields.js';

/**
 * Fields that no test file can have wrong: `<kind> <field>`, and the reason. There are none at present; a needless
 * entry makes the test fail.
 */
const CANNOT_BE_WRONG: Record<string, string> = {};

const problemsOf = (kind: Kind, { file, text }: Case) => {
  const loaded = kind.load(file, text);
  return loaded.ok ? [] : loaded.problems;
};

/** The places with problems in the files that can be parsed, and the paths to these places. */
const wrongPlaces = (kind: Kind): { place: Place; path: Path }[] =>
  casesOf(kind, 'invalid').flatMap((one) => {
    let value: unknown;
    try {
      value = kind.parse(one.text);
      JSON.stringify(value); // throws where an alias contains itself
    } catch {
      return [];
    }
    return problemsOf(kind, one).flatMap((problem) => {
      const path = parsePath(problem.path);
      const place = placeOf(kind.schema, value, path);
      return place === null ? [] : [{ place, path }];
    });
  });

const withValue = (source: unknown, path: Path, key: string): unknown => {
  const copy: unknown = JSON.parse(JSON.stringify(source));
  const at = path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown>)[part], copy);
  (at as Record<string, unknown>)[key] = 1;
  return copy;
};

describe.each(kinds)('a valid $name file', (kind) => {
  const valid = casesOf(kind, 'valid');

  it.each(valid)('$file is accepted', (one) => {
    expect(problemsOf(kind, one).map(formatProblem)).toEqual([]);
  });

  it('gives a value that JSON, and so Temporal, carries unchanged', () => {
    for (const { file, text } of valid) {
      const loaded = kind.load(file, text);
      if (loaded.ok) expect(JSON.parse(JSON.stringify(loaded.value))).toEqual(loaded.value);
    }
  });

  it('becomes invalid through an unknown key in any place', () => {
    for (const { file, text } of valid) {
      const value = kind.parse(text);
      const maps = pathsIn(value).filter((path) => {
        const place = placeOf(kind.schema, value, path);
        const type = place?.above.at(-1)?.schema.def.type;
        const isMap = typeof place?.value === 'object' && place.value !== null && !Array.isArray(place.value);
        return isMap && (type === 'object' || type === 'union');
      });
      expect(maps.length).toBeGreaterThan(0);
      for (const path of maps) {
        const found = check(kind.schema, {
          file,
          value: withValue(value, path, 'zzzzzz'),
          nouns: { map: 'a map', list: 'a list' },
          locate: () => null,
        });
        const problems = found.ok ? [] : found.problems.map((problem) => `${problem.path}: ${problem.message}`);
        expect(problems, `${file} with a key in ${formatPath(path) || 'the root'}`).toEqual([
          expect.stringContaining(`${formatPath([...path, 'zzzzzz'])}: unknown key 'zzzzzz'`),
        ]);
      }
    }
  });
});

/**
 * `# expect: <line>:<column> <path>: <part of message>`, one per line at the top of the file; without a path for a
 * problem of the whole file. `...` stands for any text, for example in growing lists.
 */
const EXPECTATION = /^# expect: (\d+:\d+) (.*?)\r?$/gm;

const isPart = (part: string, message: string): boolean =>
  new RegExp(
    part
      .split('...')
      .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*'),
    's',
  ).test(message);

describe.each(kinds)('an invalid $name file', (kind) => {
  it.each(casesOf(kind, 'invalid'))('$file has every problem at its place', (one) => {
    const problems = problemsOf(kind, one);
    const wanted = [...one.text.matchAll(EXPECTATION)].map(([, position = '', rest = '']) => {
      const [, path = '', part = rest] = /^((?:[\w-]|\.|\[\d+\]|\["[^"]*"\])+): (.*)$/.exec(rest) ?? [];
      return { position, path, part };
    });
    const met =
      problems.length === wanted.length &&
      problems.every(({ line, column, path, message }, index) => {
        const { position = '', path: place = '', part = '' } = wanted[index] ?? {};
        return position === `${line}:${column}` && place === path && isPart(part, message);
      });
    // Lines added at the top move everything down.
    const moved = problems.length - wanted.length;
    const actual = problems.map(
      ({ line, column, path, message }) =>
        `# expect: ${line + moved}:${column} ${path === '' ? '' : `${path}: `}${message}`,
    );
    expect(met, `${one.file} has these problems; are they right? Then its head is\n${actual.join('\n')}\n`).toBe(true);
  });
});

describe('the cases', () => {
  /** Rules that invalid files of any kind break: a shared check need not be broken in every place. */
  const broken = new Set(
    kinds.flatMap((kind) => wrongPlaces(kind).flatMap(({ place, path }) => rulesBroken(place, path))),
  );

  const lacks = (kind: Kind): string[] => {
    const used = new Set<string>();
    for (const one of casesOf(kind, 'valid')) {
      const value = kind.parse(one.text);
      for (const path of pathsIn(value)) {
        const place = placeOf(kind.schema, value, path);
        if (place === null) continue;
        used.add(place.name).add(place.name.replace(/\.\*$/, '.{key}'));
        if (typeof place.value === 'string' || typeof place.value === 'boolean')
          used.add(`${place.name}=${place.value}`);
      }
    }
    const wrong = new Set<string>();
    for (const { place } of wrongPlaces(kind)) {
      wrong.add(place.name);
      if (place.value === undefined) wrong.add(`${place.name} missing`);
    }
    return fieldsOf(kind.schema).flatMap(({ name, required, words, rules }: Field) => {
      const excused = Object.hasOwn(CANNOT_BE_WRONG, `${kind.name} ${name}`);
      const unbroken = rules.filter(({ identity }) => !broken.has(identity));
      const breaches = wrong.has(name) || unbroken.length > 0 || excused ? unbroken : rules.slice(-1);
      return [
        ...(used.has(name) ? [] : [`valid/: write ${name}`]),
        ...words.filter((word) => !used.has(`${name}=${word}`)).map((word) => `valid/: write ${name}: ${word}`),
        ...breaches.map(({ breach }) => `invalid/: write ${name} as ${breach}`),
        ...(required && !wrong.has(`${name} missing`) ? [`invalid/: leave out ${name}`] : []),
        ...(wrong.has(name) && excused ? [`CANNOT_BE_WRONG: ${name} has an invalid case; take it out`] : []),
      ];
    });
  };

  it.each(kinds)('of a $name have every field right and wrong, and break each rule', (kind) => {
    const missing = lacks(kind);
    expect(
      missing.length,
      `in test/scenario/${kind.folder}/ (leave out the "# expect:" lines at first: the test prints them)\n${missing.join('\n')}\n`,
    ).toBe(0);
  });

  it('number at least forty', () => {
    const files = kinds.flatMap((kind) => [...casesOf(kind, 'valid'), ...casesOf(kind, 'invalid')]);
    expect(files.length).toBeGreaterThanOrEqual(40);
  });
});
