import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseHarmless, type DraftedTool, draftScenario } from '../../../src/scenario/draft/draft-scenario.js';
import { readHelp } from '../../../src/scenario/draft/read-help.js';
import { loadScenarioFile } from '../../../src/scenario/yaml/read-scenario.js';

const STOCK: DraftedTool = {
  name: 'stock',
  file: 'fixtures/stock.yaml',
  binary: '../bin/stock',
  call: 'stock',
  help: readHelp('Keeps an inventory.\n\nUsage: stock <command>\n\nCommands:\n  add   adds: pieces\n  list  shows\n'),
  helpArguments: ['--help'],
  helpSucceeds: true,
  harmless: [['--version'], ['list', '--help']],
  schema: '../schema.json',
};

const load = (tool: DraftedTool) => {
  const loaded = loadScenarioFile('draft', draftScenario(tool).scenario);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value;
};

describe('the draft of a scenario', () => {
  test('calls the tool only for its help, and writes what the gates look for', () => {
    const { target, mock, evaluation } = load(STOCK);
    expect(target).toMatchObject({ binary: '../bin/stock', health_check: 'stock --help' });
    expect(mock?.steps).toEqual([
      { run: 'stock --help' },
      { run: 'stock --version' },
      { run: 'stock list --help' },
      { write: { path: 'summary.md', content: 'What stock can do:\n- add: adds: pieces\n- list: shows\n' } },
    ]);
    expect(evaluation.gates.map(({ type }) => type)).toEqual([
      'file_exists',
      'file_contains',
      'command_succeeds',
      'command_called',
      'no_transcript_errors',
    ]);
  });

  test('says on which lines there is something to edit', () => {
    const { scenario, edits } = draftScenario(STOCK);
    expect(edits).toHaveLength(4);
    for (const { line, what } of edits) expect(scenario.split('\n')[line - 1]?.trim()).toBe(`# EDIT: ${what}`);
  });

  test('does not require that the help succeeds if it does not', () => {
    const { target, evaluation } = load({ ...STOCK, helpSucceeds: false, helpArguments: [] });
    expect(target).not.toHaveProperty('health_check');
    expect(evaluation.gates.map(({ type }) => type)).toEqual(['file_exists', 'file_contains', 'command_called']);
  });

  test('is valid whatever the tool is called and whatever its help says', () => {
    const any = fc.string({ minLength: 1 });
    const call = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !/[/\0]/.test(text));
    fc.assert(
      fc.property(fc.array(any), call, fc.boolean(), (text, name, helpSucceeds) => {
        const help = readHelp(`usage: x <command>\n\nCommands:\n${text.map((one) => `  a${one}  ${one}`).join('\n')}`);
        const { target, mock } = load({ ...STOCK, call: name, binary: `./${name}`, help, helpSucceeds });
        expect(target).toMatchObject({ binary: `./${name}` });
        expect(mock?.steps).toHaveLength(4);
      }),
    );
  });
});

describe('the calls of a tool that are taken to be harmless', () => {
  const chosen = (text: string): string[] => chooseHarmless(readHelp(text), text).map((words) => words.join(' '));

  test('are its version, and the help of commands that show something', () => {
    expect(
      chosen('Commands:\n  remove  x\n  list  x\n  send  x\n  status  x\n\nOptions:\n  -V  version\n  --help  help\n'),
    ).toEqual(['-V', 'list --help', 'status --help']);
  });

  test('are none if the help mentions neither', () => {
    expect(chosen('Commands:\n  list  x\n')).toEqual([]);
  });
});
