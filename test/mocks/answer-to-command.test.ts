import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  answerToCommand,
  needsInput,
  type CommandCall,
  type MockedCommandResult,
} from '../../src/mocks/answer-to-command.js';
import { chanceOf } from '../../src/mocks/record-call.js';
import type { MockAnswer } from '../../src/mocks/choose-mock.js';
import { CommandMock } from '../../src/mocks/command-mock.js';

type Written = Partial<z.input<typeof CommandMock>>;

const mock = (written: Written): CommandMock => CommandMock.parse({ command: 'gh', ...written });
const call = (args: string[], more: Partial<CommandCall> = {}): CommandCall => ({
  command: 'gh',
  args,
  input: { stdin: '' },
  context: { step: 'agent', agent: 'mock', scenario: 's' },
  ...more,
});
const NEVER = 0.999_999;
const answer = (mocks: Written[], to: CommandCall, random = NEVER): MockAnswer<MockedCommandResult> | null =>
  answerToCommand(mocks.map(mock), to, { random }).answer;

/** A few words, so that arguments are often equal. */
const word = fc.constantFrom('a', 'b', 'c', '--x');
const words = fc.array(word, { maxLength: 4 });
const anyCall = fc.record({
  command: fc.constant('gh'),
  args: words,
  input: fc.record({ stdin: word }),
  context: fc.record({ step: word, agent: word, scenario: word }),
});
const when = fc.record(
  {
    args: words,
    partialArgs: words,
    input: fc.record({ stdin: word }, { requiredKeys: [] }),
    context: fc.record({ step: word, agent: word, scenario: word }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
type When = CommandMock['when'];
const WEIGHTS = { args: 10, input: 8, context: 6, matcher: 4, partialArgs: 2 } as const;
const weightOf = (of: When): number => (Object.keys(of) as (keyof When)[]).reduce((sum, key) => sum + WEIGHTS[key], 0);

describe('a mock', () => {
  it('answers a call if every part of when matches', () => {
    fc.assert(
      fc.property(when, anyCall, (of, to) => {
        const holds =
          (of.args === undefined || JSON.stringify(of.args) === JSON.stringify(to.args)) &&
          (of.partialArgs ?? []).every((arg) => to.args.includes(arg)) &&
          (of.input?.stdin ?? to.input.stdin) === to.input.stdin &&
          Object.entries(of.context ?? {}).every(
            ([key, value]) => to.context[key as keyof typeof to.context] === value,
          );
        expect(answer([{ when: of }], to) !== null).toBe(holds);
      }),
    );
  });

  it('answers only calls of its command', () => {
    expect(answer([{}], call([], { command: 'git' }))).toBeNull();
  });

  it('ignores newlines at the end of standard input', () => {
    const mocks = [{ when: { input: { stdin: 'x' } } }];
    expect(answer(mocks, call([], { input: { stdin: 'x\n' } }))).not.toBeNull();
    expect(answer(mocks, call([], { input: { stdin: 'x\ny' } }))).toBeNull();
  });
});

describe('of several mocks', () => {
  it('the most specific one that matches answers, and of equally specific ones the first', () => {
    fc.assert(
      fc.property(fc.array(when, { maxLength: 6 }), anyCall, (all, to) => {
        const matching = all.flatMap((of, index) =>
          answer([{ when: of }], to) === null ? [] : [{ index, weight: weightOf(of) }],
        );
        const most = Math.max(...matching.map(({ weight }) => weight));
        const first = matching.find(({ weight }) => weight === most)?.index ?? null;
        expect(
          answer(
            all.map((of) => ({ when: of })),
            to,
          )?.mock ?? null,
        ).toBe(first);
      }),
    );
  });

  it('exact arguments outweigh input, input context, context a matcher, and a matcher a part of the arguments', () => {
    const mocks = [
      { when: { partialArgs: ['pr'] } },
      { when: { matcher: 'true' } },
      { when: { context: { step: 'agent' } } },
      { when: { input: { stdin: 'x' } } },
      { when: { args: ['pr', 'list'] } },
    ];
    const to = call(['pr', 'list'], { input: { stdin: 'x' } });
    for (const left of [4, 3, 2, 1, 0]) expect(answer(mocks.slice(0, left + 1), to)?.mock).toBe(left);
  });
});

describe('an answer', () => {
  it('is text on stdout, or a map of stdout, stderr and exit code', () => {
    expect(answer([{ response: 'hello' }], call([]))?.result).toEqual({
      stdout: 'hello',
      stderr: '',
      exitCode: 0,
    });
    expect(answer([{ response: { stderr: 'no', exit_code: 4 } }], call([]))?.result).toEqual({
      stdout: '',
      stderr: 'no',
      exitCode: 4,
    });
  });

  it('is an error instead of the response, with status 1 unless another is given', () => {
    const error = { code: 'NOT_FOUND', message: 'no such issue' };
    expect(answer([{ error, response: 'x' }], call([]))?.result).toEqual({
      stdout: '',
      stderr: 'NOT_FOUND: no such issue\n',
      exitCode: 1,
    });
    expect(answer([{ error: { ...error, status: 44 } }], call([]))?.result.exitCode).toBe(44);
  });

  it('is delayed, and a failure with the given probability, even if there is an error too', () => {
    const mocks = [{ metadata: { delay: 20, probability: 0.25 }, error: { code: 'C', message: 'm' }, response: 'x' }];
    expect(answer(mocks, call([]), 0.25)).toMatchObject({ delayMs: 20, failedByChance: false });
    expect(answer(mocks, call([]), 0.24)).toEqual({
      mock: 0,
      delayMs: 20,
      failedByChance: true,
      result: { stdout: '', stderr: 'gh: failed by chance (probability 0.25)\n', exitCode: 1 },
    });
  });

  it('always succeeds with probability 0, and always fails with probability 1', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (seed, number) => {
        const random = chanceOf(seed, number);
        const fails = (probability: number) =>
          answer([{ metadata: { probability } }], call([]), random)?.failedByChance;
        expect([fails(0), fails(1)]).toEqual([false, true]);
      }),
    );
  });

  it('depends on chance in the same way for the same seed and number of the call', () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => chanceOf('seed', index));
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, index) => chanceOf('seed', index)));
    expect(new Set(numbers).size).toBe(1000);
    expect(numbers.filter((random) => random < 0.25)).toHaveLength(250);
  });
});

describe('standard input', () => {
  it('is read only for a command whose answer depends on it', () => {
    const reads = (written: Written): boolean => needsInput([mock(written)], 'gh');
    expect(reads({ response: 'x' })).toBe(false);
    expect(reads({ response: '$${input.stdin}' })).toBe(false);
    expect(reads({ when: { input: { stdin: 'x' } } })).toBe(true);
    expect(reads({ response: { stderr: '${input.stdin}' } })).toBe(true);
    expect(reads({ when: { matcher: 'args.length > 1' } })).toBe(false);
    expect(reads({ when: { matcher: 'input.stdin === args[0]' } })).toBe(true);
    expect(needsInput([mock({ response: '${input.stdin}' })], 'git')).toBe(false);
  });
});
