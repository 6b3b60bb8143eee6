import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import ts from 'typescript';
import { applied, mutantsOf } from '../../scripts/mutants/mutants-of.js';
import { mutantsOfStatistics } from '../../scripts/mutants/of-statistics.js';
import { withProbes } from '../../scripts/mutants/probes.js';
import { sample } from '../../scripts/mutants/sample.js';
import { table } from '../../scripts/mutants/table.js';

const changed = (source: string): string[] => mutantsOf(source).map((mutant) => applied(source, mutant));

test.each([
  ['f(a < b);', 'f(a <= b);'],
  ['f(a >= 2);', 'f(a > 2);'],
  ['f(a === b);', 'f(a !== b);'],
  ['f(a + b);', 'f(a - b);'],
  ['f(a && b);', 'f(a || b);'],
  ['f(a ?? b);', 'f(a && b);'],
  ['f(!a);', 'f(a);'],
  ['if (a) f();', 'if (!(a)) f();'],
  ['const x = a ? 1 : 2;', 'const x = !(a) ? 1 : 2;'],
  ['const x = true;', 'const x = false;'],
  ['const x = 0;', 'const x = (0 + 1);'],
  ['const x = 1;', 'const x = 0;'],
  ["const x = 'pass';", "const x = '';"],
  ["const x = '';", "const x = 'mutant';"],
  ['const x = `${a} runs`;', "const x = '';"],
  ['for (;;) i++;', 'for (;;) i--;'],
  ['const x = list.filter(f).length;', 'const x = list.length;'],
  ['const x = list.toSorted(f);', 'const x = list;'],
  ['const x = list.some(f);', 'const x = list.every(f);'],
  ['save(x);', ';'],
  ['function f() { return a; }', 'function f() { ; }'],
])('a mutant of %s is %s', (source, mutant) => {
  expect(changed(source)).toContain(mutant);
});

test.each([
  "import a from 'a';",
  "export { a } from './a.js';",
  "type A = 'a' | 1 | true;",
  "const x = { 'a-b': a };",
  'const x = tag`a`;',
])('nothing in %s is changed', (source) => {
  expect(changed(source)).toEqual([]);
});

test('a condition that compares is negated only once', () => {
  expect(changed('if (a === b) f(c);')).toEqual(['if (a !== b) f(c);', 'if (a === b) ;']);
});

test('a mutant knows its line', () => {
  expect(mutantsOf('const a = b;\nconst c = d < e;').map(({ line }) => line)).toEqual([2]);
});

test('probes tell which mutants are reached, and change nothing else', () => {
  const source = 'const f = (n) => { if (n > 1) return n * 2; return "small" + n; }; f(x);';
  const mutants = mutantsOf(source);
  const probed = withProbes(
    source,
    mutants.map((mutant, id) => ({ id, mutant })),
  );
  const reached = (x: number): { result: unknown; texts: string[] } => {
    const ids: number[] = [];
    const result: unknown = runInNewContext(probed, { x, __reached: (id: number) => ids.push(id) });
    return { result, texts: ids.map((id) => mutants[id]?.text ?? '') };
  };
  expect(reached(3)).toEqual({ result: 6, texts: expect.arrayContaining(['>=', '/']) as unknown });
  expect(reached(1).result).toBe('small1');
  expect(reached(1).texts).not.toContain('/');
});

const sources = ['a', 'b', 'c'].map((name) => ({
  path: `src/${name}.ts`,
  source: `export const ${name} = (n: number): boolean => n < 10 && n + 1 > 3;\n`,
}));
const draw = (seed: string, isWrong: (text: string) => boolean = () => false) =>
  sample(sources, {
    mutants: 6,
    seed,
    findTypeErrors: (drawn) => new Set(drawn.filter(({ mutant }) => isWrong(mutant.text)).map(({ path }) => path)),
  });

test.each(mutantsOfStatistics().map((mistake) => [mistake.mutant.kind, mistake] as const))(
  'a probe fits around the mistake "%s"',
  (_, { number, source, mutant }) => {
    for (const text of [withProbes(source, [{ id: number, mutant }]), applied(source, mutant)])
      expect(ts.transpileModule(text, { reportDiagnostics: true }).diagnostics).toEqual([]);
  },
);

test('a sample is the same for the same seed, takes no mutant twice, and is spread over the files', () => {
  const drawn = draw('1');
  expect(draw('1')).toEqual(drawn);
  expect(draw('2')).not.toEqual(drawn);
  expect(new Set(drawn.map(({ path, mutant }) => `${path}:${mutant.start}`)).size).toBe(6);
  expect(drawn.map(({ path }) => path)).toEqual(['a', 'a', 'b', 'b', 'c', 'c'].map((name) => `src/${name}.ts`));
});

test('another mutant is drawn in place of one with type errors', () => {
  expect(draw('1').map(({ mutant }) => mutant.text)).toContain('-');
  const drawn = draw('1', (text) => text === '-');
  expect(drawn).toHaveLength(6);
  expect(drawn.map(({ mutant }) => mutant.text)).not.toContain('-');
  expect(draw('1', () => true)).toEqual([]);
});

test('the table begins with the share that is noticed, and with the survivors', () => {
  const source = 'const x = a\n  < b || c;\n';
  const [survivor, noticed] = mutantsOf(source).map((mutant, at) => ({
    number: at + 1,
    path: 'src/x.ts',
    source,
    mutant,
  }));
  if (survivor === undefined || noticed === undefined) throw new Error('no mutants');
  const lines = table([
    { ...noticed, outcome: { by: 'test/x.test.ts: compares' } },
    { ...survivor, outcome: { survived: 'reached' } },
  ]).split('\n');
  expect(lines[0]).toBe('1 of 2 mutants are noticed (50.0 %).');
  expect(lines[4]).toMatch(/^\| 1 \|.*→.*\*\*survives\*\* \|$/);
  expect(lines[5]).toMatch(/^\| 2 \| .*\| src\/x\.ts:2 \| boundary \| test\/x\.test\.ts: compares \|$/);
});
