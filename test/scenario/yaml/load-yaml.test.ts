import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Problem } from '../../../src/lib/errors/problem.js';
import { loadScenarioFile } from '../../../src/scenario/yaml/read-scenario.js';
import { loadYaml } from '../../../src/scenario/yaml/load-yaml.js';

const folder = join(import.meta.dirname, '../cases');
const texts = ['valid', 'invalid'].flatMap((kind) =>
  readdirSync(join(folder, kind)).map((name) => readFileSync(join(folder, kind, name), 'utf8')),
);

const expectInside = (text: string, problems: readonly Problem[]) => {
  expect(problems.length).toBeGreaterThan(0);
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const isInside = ({ line, column }: Problem): boolean =>
    line >= 1 && column >= 1 && line <= lines.length && column <= (lines[line - 1] ?? '').length + 1;
  const says = ({ message }: Problem): boolean => !/^$|^Invalid input$|undefined|\[object/.test(message);
  // One call for all: there are many thousands.
  expect(problems.filter((problem) => !isInside(problem) || !says(problem))).toEqual([]);
};

const check = (text: string) => {
  const loaded = loadScenarioFile('s.yaml', text);
  if (!loaded.ok) expectInside(text, loaded.problems);
};

/** Pieces with a meaning in YAML or in the schema. */
const fragment = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\t',
    '\n',
    '\r\n',
    '- ',
    ': ',
    '? ',
    '&a ',
    '*a',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '|\n',
    '>-\n',
    '#',
    '---\n',
    '...\n',
  ),
  fc.constantFrom(
    '%YAML 1.1\n',
    '!!binary ',
    '!x ',
    '<<: ',
    '~',
    'null',
    '.nan',
    '-.inf',
    '0x1F',
    '1e999',
    '__proto__: ',
    '@',
    '`',
    ', ',
  ),
);

describe('loadYaml', () => {
  it('gives for any text a value or problems located inside the text', () => {
    fc.assert(
      fc.property(
        fc.array(fragment).map((parts) => parts.join('')),
        check,
      ),
      { numRuns: 1500 },
    );
  });

  it('gives for a damaged scenario a value or problems located inside the text', () => {
    const damaged = fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat({ max: 30 }), fragment)
      .map(([text, at, length, put]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + put + text.slice(start + length);
      });
    fc.assert(fc.property(damaged, check), { numRuns: 1500 });
  });

  it('gives for any JSON value a value or problems located inside the text', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
    fc.assert(fc.property(json, check), { numRuns: 500 });
  });

  it.each(['[', '- ', '{a: ', '? '])('refuses %j 50,000 times instead of running out of stack', (opening) => {
    const text = opening.repeat(50_000);
    const loaded = loadScenarioFile('s.yaml', text);
    expect(loaded.ok).toBe(false);
    if (!loaded.ok) expectInside(text, loaded.problems);
  });

  it('finds the intended branch of a union', () => {
    const schema = z.strictObject({
      x: z.union([z.strictObject({ a: z.number() }), z.array(z.string()), z.boolean()]),
    });
    const messageOf = (text: string) => {
      const loaded = loadYaml(schema, 'f', text);
      return loaded.ok ? null : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
    };
    expect(messageOf('x: {a: no}')).toEqual(["x.a: expected a number, got 'no'"]);
    expect(messageOf('x: [a, 1]')).toEqual(['x[1]: expected a string, got 1; write "1"']);
    expect(messageOf('x: 3')).toEqual(['x: expected a map (a), a list or true or false, got 3']);
    expect(messageOf('y: 3')).toEqual([
      'x: missing: expected a map (a), a list or true or false',
      "y: unknown key 'y'; known keys: x",
    ]);
  });

  it('locates a problem in an alias where its anchor was written', () => {
    const schema = z.strictObject({
      a: z.strictObject({ n: z.string() }),
      b: z.strictObject({ n: z.number() }),
    });
    const loaded = loadYaml(schema, 'f', 'a: &a\n  n: x\nb: *a\n');
    expect(loaded.ok ? [] : loaded.problems).toEqual([
      { file: 'f', line: 2, column: 6, path: 'b.n', message: "expected a number, got 'x'" },
    ]);
  });

  it('escapes and shortens quotes', () => {
    const loaded = loadYaml(z.strictObject({}), 'f', `"\\e[31m${'x'.repeat(100)}": 1`);
    expect(loaded.ok ? '' : loaded.problems[0]?.message).toBe(
      `unknown key '\\u001b[31m${'x'.repeat(55)}...'; known keys: none`,
    );
  });
});

it('reports problems in maps that are keys of maps, at any depth', () => {
  const loaded = loadYaml(z.unknown(), 'x.yaml', `${'{'.repeat(40)} a: *b ${'}'.repeat(40)}`);
  const messages = loaded.ok ? [] : loaded.problems.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringContaining("unknown alias '*b'"));
});

describe('an advice quotes what is written, and not the value that was read', () => {
  const Texts = z.record(z.string(), z.string());
  it.each(['3.10', '12345678901234567890', '0644', '1e3', '0x1F', '+1', '.5', '1.0', '.inf', 'True', '7', 'true'])(
    '%s',
    (written) => {
      for (const text of [`a: ${written}\n`, `{"a": ${written}}`, `a: &x ${written} # text\n`]) {
        const loaded = loadYaml(Texts, 's.yaml', text);
        expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual([
          `expected a string, got ${written}; write "${written}"`,
        ]);
      }
    },
  );

  it('also of an alias and in a list', () => {
    const loaded = loadYaml(z.array(z.string()), 's.yaml', '[&v 1.10, *v]');
    expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual(
      Array(2).fill('expected a string, got 1.10; write "1.10"'),
    );
  });
});

it('refuses merge keys by name, and takes << in quotes as a key', () => {
  const load = (text: string) => loadYaml(z.looseObject({}), 's.yaml', text);
  const merged = load('base: &b {a: 1}\nc:\n  <<: *b\n');
  expect(merged.ok ? [] : merged.problems).toEqual([
    {
      file: 's.yaml',
      line: 3,
      column: 3,
      path: 'c["<<"]',
      message: 'merge keys (<<) are not supported; write the keys out',
    },
  ]);
  expect(load('"<<": 1\n').ok).toBe(true);
});
