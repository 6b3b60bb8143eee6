import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHelp } from '../../../src/scenario/draft/read-help.js';

const folder = join(import.meta.dirname, 'help');

/** The expected reading of each help text: the sentence, the commands, and the options (`=`: with a value). */
const EXPECTED: Record<string, [description: string | null, commands: string, options: string]> = {
  'argparse.txt': ['Keep an inventory in a file.', 'add list', '-h,--help --file= --version'],
  'clap.txt': ['Keeps an inventory in a file', 'add list help', '-f,--file= -v,--verbose -h,--help -V,--version'],
  'clap2.txt': ['Keeps an inventory in a file', 'add list', '-h,--help -V,--version -f,--file='],
  'click.txt': ['Keep an inventory in a file.', 'add list', '--file= --version --help'],
  'cobra.txt': ['Stock keeps an inventory in a file.', 'add completion list', '-f,--file= -h,--help --retries='],
  'commander.txt': ['Keep an inventory in a file.', 'add list help', '-V,--version -f,--file= --no-color -h,--help'],
  'git.txt': [null, 'clone init add mv', ''],
  'gnu.txt': [
    'Print newline, word, and byte counts for each FILE, and a total line if more than one FILE is specified.',
    '',
    '-c,--bytes -m,--chars --files0-from= --total= --help --version',
  ],
  'go-flag.txt': [null, '', '-file= -n= -v'],
  'manual.txt': [null, '', '-f,--file='],
  'npm.txt': [null, 'access add audit bugs cache config list', ''],
  'shell.txt': ['The stock is kept in the file $STOCK_FILE (default: stock.tsv).', 'add take list', '--help,--version'],
};

describe('the help of a tool', () => {
  test.each(readdirSync(folder))('is read in the form of %s', (name) => {
    const { description, commands, options } = readHelp(readFileSync(join(folder, name), 'utf8'));
    expect([
      description,
      commands.map((command) => command.name).join(' '),
      options.map(({ names, takesValue }) => `${names.join(',')}${takesValue ? '=' : ''}`).join(' '),
    ]).toEqual(EXPECTED[name]);
  });

  test('keeps what it says about commands and options, also below them', () => {
    const { commands, options } = readHelp(readFileSync(join(folder, 'clap.txt'), 'utf8'));
    expect(commands[0]).toEqual({ name: 'add', description: 'Adds pieces of an item' });
    expect(options[0]).toEqual({
      names: ['-f', '--file'],
      takesValue: true,
      description: 'Where the stock is kept',
    });
  });

  test('does not take the lines of examples, variables and exit codes for commands', () => {
    const { commands } = readHelp(
      'usage: stock <file>\n\nEnvironment:\n  home  where\n\nExamples:\n  stock a.tsv  reads it\n\nExit codes:\n  0  done\n',
    );
    expect(commands).toEqual([]);
  });

  test('says that an option takes a value by a word after its names, not by a comma', () => {
    const { options } = readHelp('Options:\n  -q, --quiet,      Says nothing\n  -f, --file PATH,  Where it is\n');
    expect(options).toEqual([
      { names: ['-q', '--quiet'], takesValue: false, description: 'Says nothing' },
      { names: ['-f', '--file'], takesValue: true, description: 'Where it is' },
    ]);
  });

  test('is read without colours, and if lines end with CR LF', () => {
    const { commands } = readHelp('\u001b[1mCommands:\u001b[0m\r\n  \u001b[32madd\u001b[0m  adds\r\n');
    expect(commands).toEqual([{ name: 'add', description: 'adds' }]);
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9]{1,8}(-[a-z]{1,5})?$/);
const description = fc.stringMatching(/^[A-Z][a-z]{1,8}( [a-z]{1,8}){0,6}$/);
const command = fc.record({ name, description });
const option = fc.record({
  name,
  description,
  letter: fc.stringMatching(/^[a-z]$/),
  takesValue: fc.boolean(),
});
const tool = fc.record({
  description,
  commands: fc.uniqueArray(command, { selector: (one) => one.name, minLength: 1, maxLength: 8 }),
  options: fc.uniqueArray(option, { selector: (one) => one.name, minLength: 1, maxLength: 8 }),
});
type Tool = typeof tool extends fc.Arbitrary<infer T> ? T : never;
type Row = [term: string, description: string];

const table = (rows: Row[], indent = '  '): string[] => {
  const width = Math.max(...rows.map(([term]) => term.length)) + 2;
  return rows.map(([term, text]) => `${indent}${term.padEnd(width)}${text}`);
};
const commandRows = ({ commands }: Tool): Row[] => commands.map((one) => [one.name, one.description]);
const optionRows = ({ options }: Tool, value: string): Row[] =>
  options.map((one) => [`-${one.letter}, --${one.name}${one.takesValue ? value : ''}`, one.description]);

/** The help of the same tool, as libraries print it. */
const WRITERS: Record<string, (tool: Tool) => string[]> = {
  commander: (tool) => [
    ...['Usage: stock [options] [command]', '', tool.description, ''],
    ...['Options:', ...table(optionRows(tool, ' <value>')), ''],
    ...['Commands:', ...table(commandRows(tool))],
  ],
  clap: (tool) => [
    ...[tool.description, '', 'Usage: stock [OPTIONS] <COMMAND>', ''],
    ...['Commands:', ...table(commandRows(tool)), ''],
    ...['Options:', ...optionRows(tool, ' <VALUE>').flatMap(([term, text]) => [`  ${term}`, `          ${text}`, ''])],
  ],
  cobra: (tool) => [
    ...[tool.description, '', 'Usage:', '  stock [command]', ''],
    ...['Available Commands:', ...table(commandRows(tool)), ''],
    ...['Flags:', ...table(optionRows(tool, ' string'), '      ')],
  ],
  argparse: (tool) => [
    ...[`usage: stock [-h] {${tool.commands.map((one) => one.name).join(',')}} ...`, '', tool.description, ''],
    ...['positional arguments:', `  {${tool.commands.map((one) => one.name).join(',')}}`],
    ...[...table(commandRows(tool), '    '), '', 'options:', ...table(optionRows(tool, ' VALUE'))],
  ],
  click: (tool) => [
    ...['Usage: stock [OPTIONS] COMMAND [ARGS]...', '', `  ${tool.description}`, ''],
    ...['Options:', ...table(optionRows(tool, ' TEXT')), '', 'Commands:', ...table(commandRows(tool))],
  ],
};

describe('help in any known form', () => {
  test.each(Object.entries(WRITERS))('has all commands and options of the tool: %s', (_, write) => {
    fc.assert(
      fc.property(tool, (given) => {
        const read = readHelp(write(given).join('\n'));
        expect(read.commands).toEqual(given.commands);
        expect(read.options).toEqual(
          given.options.map((one) => ({
            names: [`-${one.letter}`, `--${one.name}`],
            takesValue: one.takesValue,
            description: one.description,
          })),
        );
      }),
    );
  });

  test('reads any text quickly, and finds only valid names', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('Commands:', 'Options:', 'usage: x <command>', '', '  a  b', '--'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.string({ unit: 'binary' }), (lines, more) => {
        const { commands, options } = readHelp(`${lines.join('\n')}${more}`);
        for (const one of commands) expect(one.name).toMatch(/^[a-z\d][\w:.-]*$/);
        for (const one of options.flatMap(({ names }) => names)) expect(one).toMatch(/^--?[a-z\d?]/i);
        expect(new Set(commands.map((one) => one.name)).size).toBe(commands.length);
      }),
    );
    const long = readHelp(`Commands:\n${`  ${'a '.repeat(100_000)}\n`.repeat(50)}${'-'.repeat(1_000_000)}`);
    expect(long.options).toEqual([]);
  });
});
