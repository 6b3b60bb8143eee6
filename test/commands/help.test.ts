import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/commands/program.js';

const newProgram = (): CommandUnknownOpts => createProgram({ exitWith: () => Promise.resolve() });

const withVerbs = (command: CommandUnknownOpts, path: string): [string, CommandUnknownOpts][] => [
  [path, command],
  ...command.commands.flatMap((verb) => withVerbs(verb, `${path} ${verb.name()}`)),
];
const all = withVerbs(newProgram(), 'llm-tool-test');

function helpOf(command: CommandUnknownOpts): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** The command lines of a verb's examples, without the prompt. */
const examplesOf = (command: CommandUnknownOpts): string[] =>
  [...helpOf(command).matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);

/** The arguments of a command line as a shell would pass them, without leading variables and trailing redirections. */
const argumentsOf = (line: string): string[] =>
  (/^(?:[A-Z_]+=\S+ )*llm-tool-test ?(.*?)(?: >>? \S+)?$/.exec(line)?.[1] ?? line).split(' ');

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('there is help for every verb and its sub-verbs', () => {
  const paths = all.map(([path]) => path);
  expect(paths.length).toBeGreaterThan(30);
  for (const name of ['run', 'engine keep', 'scripts install-command'])
    expect(paths).toContain(`llm-tool-test ${name}`);
});

describe.each(all)('%s --help', (path, command) => {
  test('has a description', () => {
    expect(command.description()).toMatch(/^[A-Z]/);
  });

  test('describes every argument and option', () => {
    for (const { description } of [...command.registeredArguments, ...command.options])
      expect(description).not.toBe('');
  });

  test('has an example of this verb', () => {
    expect(examplesOf(command).some((line) => `${line} `.includes(`${path} `))).toBe(true);
  });

  test('names a page and a section that exist', () => {
    const [, page = '', anchor] = /^Documentation: ([^#\s]+)(?:#(\S+))?$/m.exec(helpOf(command)) ?? [];
    expect(existsSync(resolve(page))).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(page)).toContain(anchor);
  });

  test.each(examplesOf(command))('has an example that can be parsed: %s', async (line) => {
    let performed = 0;
    const program = newProgram();
    for (const [, verb] of withVerbs(program, ''))
      if (verb.commands.length === 0)
        verb
          .action(() => {
            performed += 1;
          })
          .exitOverride()
          .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    const parsed = program.parseAsync(argumentsOf(line), { from: 'user' });
    // Commander throws an error after it has printed help.
    await (line.endsWith('--help') ? expect(parsed).rejects.toMatchObject({ exitCode: 0 }) : parsed);
    expect(performed).toBe(line.endsWith('--help') ? 0 : 1);
  });
});
