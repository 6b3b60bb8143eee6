import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReadme, SECTIONS, usageCommand } from '../../src/agent-scripts/readme.js';

const block = (language: string, ...lines: string[]): string[] => ['```' + language, ...lines, '```', ''];

const README = [
  '# check',
  '',
  '## Summary',
  '',
  'Checks things.',
  'And more.',
  '',
  '## Usage',
  '',
  ...block(
    'bash',
    'cd /path/to/project',
    '# only reads',
    'deno run --allow-read \\',
    '  .agents/scripts/check/run.ts <file>',
  ),
  '## Arguments',
  '',
  '| Name | Required | Description |',
  '| --- | --- | --- |',
  '| `file` | yes | What to check |',
  '| `--all` | No | Everything (default: false) |',
  '',
  '## Output',
  '',
  ...block('json', '{"success": true, "data": 1}'),
  '## Error Codes',
  '',
  '| Code | Description |',
  '| --- | --- |',
  '| FILE_NOT_FOUND | No such file |',
  '| `READ_ERROR` | Cannot be read |',
  '',
  '## Examples',
  '',
  'Two of them.',
  '',
  ...block(
    'bash',
    'deno run --allow-read .agents/scripts/check/run.ts a',
    'deno run --allow-read .agents/scripts/check/run.ts b',
  ),
  ...block('json', '{ "success": true, "data": 2 }'),
  ...block('bash', 'deno run --allow-read .agents/scripts/check/run.ts c'),
].join('\n');

const lineOf = (text: string): number => README.split('\n').findIndex((line) => line.includes(text)) + 1;

describe('a README', () => {
  const readme = parseReadme(README);

  it('has its sections in order, with their lines', () => {
    const titles = readme.sections.filter(({ level }) => level === 2).map(({ title, line }) => [title, line]);
    expect(titles).toEqual(SECTIONS.map((title) => [title, lineOf(`## ${title}`)]));
  });

  it('has a summary', () => {
    expect(readme.summary).toEqual({ line: lineOf('Checks things.'), value: 'Checks things. And more.' });
  });

  it('has a command, with continued lines joined, and without comments and cd', () => {
    expect(readme.usage).toEqual({
      line: lineOf('deno run --allow-read \\'),
      value: 'deno run --allow-read .agents/scripts/check/run.ts <file>',
    });
    expect(usageCommand(readme)).toEqual({
      flags: ['--allow-read'],
      program: '.agents/scripts/check/run.ts',
      args: ['<file>'],
    });
  });

  it('has arguments and error codes, each with its line', () => {
    expect(readme.arguments).toEqual([
      { line: lineOf('| `file`'), value: { name: 'file', required: true, description: 'What to check' } },
      {
        line: lineOf('| `--all`'),
        value: { name: '--all', required: false, description: 'Everything (default: false)' },
      },
    ]);
    expect(readme.codes).toEqual([
      { line: lineOf('| FILE_NOT'), value: 'FILE_NOT_FOUND' },
      { line: lineOf('| `READ_'), value: 'READ_ERROR' },
    ]);
  });

  it('has examples; JSON after a block is the answer to its last command', () => {
    const command = 'deno run --allow-read .agents/scripts/check/run.ts';
    expect(readme.examples).toEqual([
      { line: lineOf('run.ts a'), command: `${command} a`, output: null },
      {
        line: lineOf('run.ts b'),
        command: `${command} b`,
        output: { line: lineOf('"data": 2') - 1, value: '{ "success": true, "data": 2 }\n' },
      },
      { line: lineOf('run.ts c'), command: `${command} c`, output: null },
    ]);
  });

  it('is read the same with Windows line ends', () => {
    expect(parseReadme(README.replaceAll('\n', '\r\n'))).toEqual(readme);
  });
});

it.each([
  ['nothing', ''],
  ['no Usage', '## Summary\n\nx\n'],
  ['a Usage without a block', '## Usage\n\nderno run x\n'],
  ['a Usage of another language', '## Usage\n\n```json\ndeno run x\n```\n'],
  ['a Usage of another level', '### Usage\n\n```bash\ndeno run x\n```\n'],
])('%s has no command', (_, text) => {
  expect(usageCommand(parseReadme(text))).toMatch(/no section Usage with a `deno run` command/);
});

it('refuses a command that is not plain, and says why', () => {
  const text = '## Usage\n\n```bash\ndeno run a/run.ts | jq .data\n```\n';
  expect(usageCommand(parseReadme(text))).toMatch(/without pipes/);
});

it('does not take headings in code for sections', () => {
  const text = '## Summary\n\nx\n\n```bash\n## Usage\n```\n';
  expect(parseReadme(text).sections.map(({ title }) => title)).toEqual(['Summary']);
});

it('reads any README, and gives line numbers inside it', () => {
  const template = readFileSync(
    new URL('../../src/commands/templates/agent-scripts/README.md', import.meta.url),
    'utf8',
  );
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...template.split('\n'), '```', '> ', '- ', '| a |', '|-|', '\t', '\\', '    ', '\0', '[a](b)'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom('\n', '\r\n', '\r'), (pieces, end) => {
      const text = pieces.join(end);
      const readme = parseReadme(text);
      const { sections, summary, usage, arguments: args, codes, examples } = readme;
      const lines = text.split(/\r\n|\r|\n/).length;
      const places = [summary, usage, ...sections, ...args, ...codes, ...examples].flatMap((part) => part?.line ?? []);
      for (const line of places) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
      }
      const command = usageCommand(readme);
      if (usage === null) expect(command).toContain('no section Usage');
      else expect(command).not.toBe('');
    }),
  );
});
