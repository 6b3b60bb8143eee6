import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Problem } from '../../src/lib/errors/problem.js';
import { createProject, REPOSITORY, type TestProject } from './project.js';

const SOURCE = `import { fail, main } from '../../lib/script.ts';
import { linesOf } from '../../lib/lines.ts';

main({ '<file>': 'string', '--max': 'number' }, ({ file, max = 10 }) => {
  const lines = linesOf(file);
  if (lines.length > max) fail('TOO_LONG', 'more than ' + max + ' lines');
  return { lines: lines.length };
});
`;

/** A shared module. Scripts need not document \`keep\` unless they use it. */
const SHARED = `import { fail } from './script.ts';

export function linesOf(file: string): string[] {
  try {
    return Deno.readTextFileSync(file).trim().split('\\n');
  } catch {
    return fail('FILE_NOT_FOUND', file + ' cannot be read');
  }
}

export function keep(file: string, text: string): void {
  Deno.writeTextFileSync(file, text);
  fail('NOT_KEPT', file);
}
`;

const readmeOf = (name: string): string => `# ${name}

## Summary

Counts the lines of a file

## Usage

\`\`\`bash
deno run --allow-read=notes .agents/scripts/${name}/run.ts <file>
\`\`\`

## Arguments

| Name  | Required | Description          |
| ----- | -------- | -------------------- |
| file  | yes      | The file             |
| --max | no       | How many it may have |

## Output

\`\`\`json
{ "success": true, "data": { "lines": 2 } }
\`\`\`

## Error Codes

| Code             | Description                |
| ---------------- | -------------------------- |
| MISSING_ARGUMENT | No file was named          |
| INVALID_ARGUMENT | An unknown flag            |
| FILE_NOT_FOUND   | There is no such file      |
| TOO_LONG         | It has too many lines      |

## Examples

\`\`\`bash
deno run --allow-read=notes .agents/scripts/${name}/run.ts notes/two.txt
\`\`\`

\`\`\`json
{ "success": true, "data": { "lines": 2 } }
\`\`\`

\`\`\`bash
deno run --allow-read=notes .agents/scripts/${name}/run.ts --max 1 notes/two.txt
\`\`\`

\`\`\`json
{ "success": false, "error": "more than 1 lines", "code": "TOO_LONG" }
\`\`\`
`;

type File = 'README.md' | 'run.ts';
/** A change of one file, and the problems it causes: the place (the first line with this text) and the message. */
interface Fault {
  change: [file: File, from: string | RegExp, to: string];
  problems: [file: File, line: string, message: string | RegExp][];
}

const faults: Record<string, Fault> = {
  'other-heading': {
    change: ['README.md', '# other-heading', '# another'],
    problems: [['README.md', '# another', "expected `# other-heading`, the name of the script's folder"]],
  },
  'no-heading': {
    change: ['README.md', '# no-heading\n', ''],
    problems: [['README.md', '', 'expected `# <name>` at the top']],
  },
  'output-of-an-error': {
    change: [
      'README.md',
      '"success": true, "data": { "lines": 2 }',
      '"success": false, "error": "x", "code": "TOO_LONG"',
    ],
    problems: [['README.md', '```json', 'expected an answer with success; errors have a table']],
  },
  'output-in-no-block': {
    change: ['README.md', /(## Output\n\n```)json/, '$1text'],
    problems: [['README.md', '## Output', 'expected a ```json block with an answer']],
  },
  'no-section': {
    change: ['README.md', '## Output', '## Outputs'],
    problems: [['README.md', '# no-section', 'there is no section \`## Output\`']],
  },
  'wrong-order': {
    change: ['README.md', /(## Summary[\s\S]*?)(## Usage[\s\S]*?)(?=## Arguments)/, '$2$1'],
    problems: [['README.md', '## Usage', /in this order: Summary, Usage/]],
  },
  'long-summary': {
    change: ['README.md', 'Counts the lines of a file', 'Counts the lines\nof a file'],
    problems: [['README.md', '## Summary', /expected one line/]],
  },
  'other-program': {
    change: ['README.md', 'other-program/run.ts <file>', 'another/run.ts <file>'],
    problems: [['README.md', 'another/run.ts', /^runs .*another\/run\.ts; expected .*other-program\/run\.ts/]],
  },
  'all-allowed': {
    change: ['README.md', /--allow-read=notes/g, '-A'],
    problems: [
      ['README.md', '<file>', /^allows everything/],
      ['README.md', 'run.ts notes/two.txt', /^allows everything/],
      ['README.md', '--max 1', /^allows everything/],
    ],
  },
  'needless-permission': {
    change: ['README.md', /--allow-read=notes/g, '--allow-read=notes --allow-net'],
    problems: [['README.md', '<file>', '--allow-net is listed, but nothing in the source needs it']],
  },
  'unstated-permission': {
    change: ['run.ts', 'return {', 'if (max > 99) void fetch(file);\n  return {'],
    problems: [['run.ts', 'fetch', /^fetch needs --allow-net, which is missing from Usage in/]],
  },
  'unstated-in-a-shared-module': {
    change: [
      'run.ts',
      /import { linesOf }(.*)([\s\S]*)return {/,
      'import { keep, linesOf }$1$2keep(file, file);\n  return {',
    ],
    problems: [['README.md', 'run.ts notes/two.txt', /^answered PERMISSION_DENIED: /]],
  },
  'undocumented-code': {
    change: ['run.ts', 'return {', "if (max > 99) fail('TOO_MANY', '');\n  return {"],
    problems: [['run.ts', 'TOO_MANY', /^TOO_MANY is not in the table Error Codes/]],
  },
  'needless-code': {
    change: ['README.md', '| TOO_LONG ', '| NOT_KEPT         | It is not used |\n| TOO_LONG '],
    problems: [['README.md', 'NOT_KEPT', 'the source never returns NOT_KEPT']],
  },
  'computed-code': {
    change: ['run.ts', 'return {', "if (max > 99) fail(file + '_BAD', '');\n  return {"],
    problems: [['run.ts', '_BAD', /^expected the code as a literal/]],
  },
  'undocumented-argument': {
    change: ['README.md', /\| --max .*\n/, ''],
    problems: [['run.ts', '--max', /^--max is not in the table Arguments/]],
  },
  'wrongly-required': {
    change: ['README.md', '| --max | no ', '| --max | yes '],
    problems: [['README.md', '| --max', '--max: the source does not require it']],
  },
  'failing-example': {
    change: ['README.md', 'run.ts notes/two.txt', 'run.ts notes/three.txt'],
    problems: [['README.md', 'notes/three.txt', 'answered FILE_NOT_FOUND: notes/three.txt cannot be read']],
  },
  'other-answer': {
    change: ['README.md', /"code": "TOO_LONG"/, '"code": "FILE_NOT_FOUND"'],
    problems: [['README.md', '--max 1', 'answered TOO_LONG; the README shows FILE_NOT_FOUND']],
  },
  'piped-example': {
    change: ['README.md', 'run.ts notes/two.txt', 'run.ts notes/two.txt | jq .data'],
    problems: [['README.md', '| jq', /^expected one plain command/]],
  },
  'placeholder-example': {
    change: ['README.md', 'run.ts notes/two.txt', 'run.ts <a-file>'],
    problems: [['README.md', '<a-file>', /^<a-file> is a placeholder/]],
  },
  'talks-on-stdout': {
    change: ['run.ts', 'return {', "Deno.stdout.writeSync(new TextEncoder().encode('hello'));\n  return {"],
    problems: [['README.md', 'run.ts notes/two.txt', /^stdout is not one JSON document: "hello\{/]],
  },
  'no-typescript': {
    change: ['run.ts', 'return {', 'return {{'],
    problems: [
      ['run.ts', 'return {{', /Unexpected token/],
      ['README.md', 'run.ts notes/two.txt', /^nothing on stdout; exit 1/],
      ['README.md', '--max 1', /^nothing on stdout; exit 1/],
    ],
  },
  'missing-module': {
    change: ['run.ts', '../../lib/lines.ts', '../../lib/line.ts'],
    problems: [
      ['run.ts', 'line.ts', 'imports .agents/lib/line.ts, which does not exist'],
      ['README.md', 'run.ts notes/two.txt', /^nothing on stdout; exit 1/],
      ['README.md', '--max 1', /^nothing on stdout; exit 1/],
    ],
  },
};

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
  await project.write('.agents/lib/lines.ts', SHARED);
  await cp(join(REPOSITORY, '.agents/lib/script.ts'), join(project.folder, '.agents/lib/script.ts'));
});
afterAll(() => project.remove());

/** Writes a script, with or without a fault. */
async function plant(name: string, fault?: Fault): Promise<Record<File, string>> {
  const texts: Record<File, string> = { 'README.md': readmeOf(name), 'run.ts': SOURCE };
  if (fault !== undefined) {
    const [file, from, to] = fault.change;
    const changed = texts[file].replace(from, to);
    expect(changed, `${name} is changed`).not.toBe(texts[file]);
    texts[file] = changed;
  }
  for (const [file, text] of Object.entries(texts)) await project.write(`.agents/scripts/${name}/${file}`, text);
  await project.write(`.agents/scripts/${name}/example/notes/two.txt`, 'one\ntwo\n');
  return texts;
}

const check = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await project.cli(['scripts', 'check', '--json', ...args]);
  expect(stderr).toBe('');
  return {
    exitCode,
    document: JSON.parse(stdout) as { valid: boolean; scripts: string[]; problems: Problem[] },
  };
};

test('a script whose README, source and answers agree has no problem', async () => {
  await plant('sound');
  expect(await check('sound')).toEqual({
    exitCode: 0,
    document: { valid: true, scripts: ['sound'], problems: [] },
  });
});

test('each planted fault is reported at its place, and nothing else is', async () => {
  const texts: Record<string, Record<File, string>> = {};
  for (const [name, fault] of Object.entries(faults)) texts[name] = await plant(name, fault);
  const { exitCode, document } = await check();
  expect(exitCode).toBe(1);
  expect(document.valid).toBe(false);
  for (const [name, { problems }] of Object.entries(faults)) {
    const found = document.problems
      .filter(({ file }) => file.startsWith(`.agents/scripts/${name}/`))
      .map(({ file, line, message }) => ({ file, line, message }));
    const expected = problems.map(([file, marker, message]) => ({
      file: `.agents/scripts/${name}/${file}`,
      line: (texts[name]?.[file] ?? '').split('\n').findIndex((text) => text.includes(marker)) + 1,
      message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
    }));
    expect(found, name).toEqual(expected);
  }
  // Problems in the part of a shared module that a script uses are reported in that module.
  const shared = document.problems.filter(({ file }) => file === '.agents/lib/lines.ts');
  expect(shared.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^NOT_KEPT is not in the table Error Codes of .*unstated-in-a-shared-module/),
    expect.stringMatching(/^Deno.writeTextFileSync needs --allow-write, .*unstated-in-a-shared-module/),
  ]);
});

test('the text output shows the place and the line of each problem, and ends with their count', async () => {
  await plant('other-heading', faults['other-heading']);
  const { exitCode, stdout } = await project.cli(['scripts', 'check', 'other-heading']);
  expect(stdout.split('\n')).toEqual([
    ".agents/scripts/other-heading/README.md:1:1 expected `# other-heading`, the name of the script's folder",
    ...['> 1 | # another', '    | ^', '  2 |', '  3 | ## Summary', ''],
    '1 problem in 1 script',
  ]);
  expect(exitCode).toBe(1);
});

test('a script made by `scripts new` passes unchanged', async () => {
  for (const name of ['fresh', 'group/fresh']) {
    expect((await project.cli(['scripts', 'new', name])).exitCode).toBe(0);
    expect((await check(name)).document.problems).toEqual([]);
  }
});

test('the scripts of this repository pass', async () => {
  const { exitCode, stdout } = await project.start(['scripts', 'check'], {}, REPOSITORY);
  expect(stdout).toMatch(/^\d+ scripts: README, source and examples agree$/);
  expect(exitCode).toBe(0);
});
