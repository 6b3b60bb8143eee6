import { describe, expect, test } from 'vitest';
import { sourceProblems } from '../../../src/agent-scripts/check/source-problems.js';
import { parseReadme } from '../../../src/agent-scripts/readme.js';
import { scriptPaths, type ScriptPaths } from '../../../src/agent-scripts/script-name.js';

const paths = scriptPaths('count') as ScriptPaths;

/** Part of a shared module. Only scripts that call `keep` need its permission and return its code. */
const SHARED = `import { fail } from './script.ts';

export function keep(file: string): void {
  Deno.writeTextFileSync(file, '');
  fail('NOT_KEPT', file);
}
`;
const LIBRARY = `export function main(spec: unknown, run: unknown): void {}
export function fail(code: string, message: string): never {
  throw new Error(code + message);
}
function refuse(): void {
  fail('MISSING_ARGUMENT', 'an argument is missing');
}
refuse();
`;

/** The parts of a README that a source is compared with. */
interface Documented {
  flags?: string;
  args?: string[];
  codes?: string[];
}

const readmeOf = ({ flags = '', args = [], codes = [] }: Documented): string => `# count

## Usage

\`\`\`bash
deno run ${flags} .agents/scripts/count/run.ts
\`\`\`

## Arguments

| Name | Required | Description |
| ---- | -------- | ----------- |
${args.map((arg) => `| ${arg} | yes | x |\n`).join('')}
## Error Codes

| Code | Description |
| ---- | ----------- |
${codes.map((code) => `| ${code} | x |\n`).join('')}`;

/** The problems of a script with this code, as `file:line message`. */
function problemsOf(code: string, documented: Documented = {}): string[] {
  const files: Record<string, string> = {
    [paths.source]: code,
    '.agents/lib/keep.ts': SHARED,
    '.agents/lib/script.ts': LIBRARY,
  };
  const problems = sourceProblems(parseReadme(readmeOf(documented)), paths, (path) => files[path] ?? null);
  return problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

const usage = `${paths.readme}:6`;

describe('the permissions of a script', () => {
  test('are those that its source needs', () => {
    expect(problemsOf(`Deno.readTextFileSync('a');`, { flags: '--allow-read' })).toEqual([]);
    expect(problemsOf(`Deno.readTextFileSync('a');\nawait fetch('b');`, { flags: '--allow-read' })).toEqual([
      `${paths.source}:2 fetch needs --allow-net, which is missing from Usage in ${paths.readme}`,
    ]);
  });

  test('are each needed by something in the source', () => {
    const flags = '--allow-read --allow-net --allow-env';
    expect(problemsOf(`Deno.readTextFileSync('a');\nDeno.env.get('b');`, { flags })).toEqual([
      `${usage} --allow-net is listed, but nothing in the source needs it`,
    ]);
  });

  test('do not depend on a member of `Deno` whose name is only known when the script runs', () => {
    expect(problemsOf(`const remove = 'version';\nconsole.log(Deno[remove]);`)).toEqual([]);
  });

  test('do not depend on members of other objects', () => {
    expect(problemsOf(`const list = { remove: 1 };\nconsole.log(list.remove);`)).toEqual([]);
  });

  test('do not depend on a function that only a type names', () => {
    const imported = `import { keep } from '../../lib/keep.ts';\n`;
    for (const type of ['type Keep = typeof keep;', 'interface Store { keep: typeof keep }'])
      expect(problemsOf(`${imported}${type}\nconsole.log('kept');`)).toEqual([]);
    expect(problemsOf(`${imported}keep('a');`, { codes: ['NOT_KEPT'] })).toEqual([
      `.agents/lib/keep.ts:4 Deno.writeTextFileSync needs --allow-write, which is missing from Usage in ${paths.readme}`,
    ]);
  });
});

describe('the error codes of a script', () => {
  const source = (args: string): string =>
    `import { fail, main } from '../../lib/script.ts';\nmain({ ${args} }, () => fail('TOO_LONG', ''));`;

  test('are those that its source returns', () => {
    expect(problemsOf(source(''), { codes: ['TOO_LONG'] })).toEqual([]);
    expect(problemsOf(source(''), { codes: ['TOO_SHORT'] })).toEqual([
      `${paths.source}:2 TOO_LONG is not in the table Error Codes of ${paths.readme}`,
      `${paths.readme}:18 the source never returns TOO_SHORT`,
    ]);
  });

  test('include that of a missing argument only if an argument is required', () => {
    expect(
      problemsOf(source(`'<file>': 'string'`), { args: ['file'], codes: ['MISSING_ARGUMENT', 'TOO_LONG'] }),
    ).toEqual([]);
    expect(problemsOf(source(`'<file>': 'string'`), { args: ['file'], codes: ['TOO_LONG'] })).toEqual([
      `.agents/lib/script.ts:6 MISSING_ARGUMENT is not in the table Error Codes of ${paths.readme}`,
    ]);
    expect(problemsOf(source(''), { codes: ['MISSING_ARGUMENT', 'TOO_LONG'] })).toEqual([
      `${paths.readme}:18 the source never returns MISSING_ARGUMENT`,
    ]);
  });
});
