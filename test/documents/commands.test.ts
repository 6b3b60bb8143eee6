import { describe, expect, test } from 'vitest';
import { commands } from './documents.js';
import { problemOf, verb } from './known-command.js';

describe('the commands in the documents', () => {
  test('exist, with their options and numbers of values', async () => {
    const problems = await Promise.all(
      commands.map(async ({ place, words }) => {
        const problem = await problemOf(words);
        return problem === null ? [] : [`${place}: llm-tool-test ${words.join(' ')}: ${problem}`];
      }),
    );
    expect(problems.flat()).toEqual([]);
  });

  test('are found in code blocks and in text', () => {
    expect(commands.length).toBeGreaterThan(13);
    const verbs = new Set(commands.map(({ words: [name] }) => name));
    for (const name of ['init', 'run', 'validate', 'doctor', 'completion']) expect(verbs).toContain(name);
  });

  test('would be refused with a wrong verb or option, or a wrong number of values', async () => {
    expect((await verb('run')).options.get('--tool')).toBe(true);
    expect(await problemOf(['run', 'x', '--repeat', '5', '--json'])).toBeNull();
    expect(await problemOf(['rum', 'x'])).toBe('no verb rum');
    expect(await problemOf(['engine', 'strat'])).toBe('no verb engine strat');
    expect(await problemOf(['run', 'x', '--repeats', '5'])).toBe('run has no option --repeats');
    expect(await problemOf(['run', 'x', '--repeat'])).toBe('--repeat without a value');
    expect(await problemOf(['show'])).toBe('show wants 1 values');
    expect(await problemOf(['show', 'a', 'b'])).toBe('show takes no 2 values');
  });
});
