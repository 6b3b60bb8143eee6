import { expect, test } from 'vitest';
import { readmeProblems } from '../../../src/agent-scripts/check/readme-problems.js';
import { parseReadme, SECTIONS } from '../../../src/agent-scripts/readme.js';
import { scriptPaths, type ScriptPaths } from '../../../src/agent-scripts/script-name.js';

const README = `# count

## Summary

Counts the lines of a file

## Usage

\`\`\`bash
deno run --allow-read .agents/scripts/count/run.ts <file>
\`\`\`

## Arguments

| Name | Required | Description |
| ---- | -------- | ----------- |
| file | yes      | The file    |

## Output

\`\`\`json
{ "success": true, "data": 2 }
\`\`\`

## Error Codes

| Code           | Description           |
| -------------- | --------------------- |
| FILE_NOT_FOUND | There is no such file |

## Examples

\`\`\`bash
deno run --allow-read .agents/scripts/count/run.ts two.txt
\`\`\`
`;

/** The problems of the README with one change, and the text of their lines. */
function problemsAfter(from: string | RegExp, to: string): [line: string | undefined, message: string][] {
  const text = README.replace(from, to);
  return readmeProblems(parseReadme(text), scriptPaths('count') as ScriptPaths).map(({ line, message }) => [
    text.split('\n')[line - 1],
    message,
  ]);
}

test('a README that has everything has no problem', () => {
  expect(problemsAfter('', '')).toEqual([]);
});

test.each(SECTIONS)('a README without the section %s has that one problem', (name) => {
  const section = new RegExp(`## ${name}\\n[^]*?(?=## |$(?![^]))`);
  expect(problemsAfter(section, '')).toEqual([['# count', `there is no section \`## ${name}\``]]);
});

test.each([
  ['| Name | Required |', '| Name | Needed |', /^expected the columns Name \| Required \| Description; got/],
  ['| file | yes      |', '| file | maybe    |', 'expected yes or no as Required'],
  ['| The file    |', '|             |', 'the argument has no description'],
  ['| Code           |', '| Error          |', /^expected the columns Code \| Description; got Error/],
  ['| FILE_NOT_FOUND |', '| file missing   |', '"file missing" is not a code; expected one like FILE_NOT_FOUND'],
  ['| There is no such file |', '|                       |', 'FILE_NOT_FOUND has no description'],
])('a table with %j written as %j has one problem there', (from, to, message) => {
  expect(problemsAfter(from, to)).toEqual([
    [expect.stringContaining(to), typeof message === 'string' ? message : (expect.stringMatching(message) as string)],
  ]);
});

test('a code that is listed twice is a problem in the second row', () => {
  const row = '| FILE_NOT_FOUND | It cannot be read |';
  expect(problemsAfter(/(\| FILE_NOT_FOUND .*\n)/, `$1${row}\n`)).toEqual([[row, 'FILE_NOT_FOUND is listed twice']]);
});

test('"None." stands for the table of a script without arguments', () => {
  expect(problemsAfter(/\| Name[^]*The file {4}\|/, 'None.')).toEqual([]);
  expect(problemsAfter(/\| Name[^]*The file {4}\|/, 'Any.')).toEqual([
    ['## Arguments', 'expected a table Name | Required | Description, or "None."'],
  ]);
});

test('an example has the flags of Usage', () => {
  const example = 'deno run --allow-read --allow-net .agents/scripts/count/run.ts two.txt';
  expect(problemsAfter(/deno run .* two.txt/, example)).toEqual([[example, 'its flags differ from those in Usage']]);
});
