import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateQuestion } from '../../../src/gates/gate.js';
import {
  judgeVotes,
  parseExpected,
  requestSchema,
  voteProblem,
  type JudgeVote,
} from '../../../src/gates/types/llm-judge.js';
import type { Json } from '../../../src/lib/json.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import type { Trajectory } from '../../../src/model/transcript/trajectory.js';
import { check, errorsOf, newWorkspace, realContext } from '../real-context.js';

const did: Trajectory = {
  commands: [{ whole: 'cat notes.md', parts: ['cat notes.md'] }],
  commandCount: 1,
  structured: true,
  tools: { Bash: 1 },
  failed: [],
  tokens: NO_USAGE,
  costUsd: 0,
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  answer: 'Buy milk.',
};

const vote = (more: Partial<JudgeVote> = {}): JudgeVote => ({
  qualitative_summary: 'It says what to buy.',
  capability_checklist: [],
  confidence: 0.9,
  overall_success: true,
  ...more,
});
const shown = (...achieved: boolean[]): Pick<JudgeVote, 'capability_checklist' | 'overall_success'> => ({
  capability_checklist: achieved.map((one, at) => ({
    capability: `c${at + 1}`,
    reasoning: one ? 'seen' : 'not seen',
    achieved: one,
  })),
  overall_success: achieved.every(Boolean),
});

async function judged(fields: object, answers: JudgeVote[], trajectory: Trajectory | null = did) {
  const asked: Omit<GateQuestion<unknown>, 'read'>[] = [];
  const turns = [{ number: 1, user: 'What must I buy?', agent: 'Buy milk.' }];
  const given = { trajectory, turns, asked, answers: answers as unknown as Record<string, Json>[] };
  const context = realContext(await newWorkspace(), given);
  return {
    verdict: await check({ type: 'llm_judge', prompt: 'It says what to buy.', ...fields }, context),
    asked,
  };
}

describe('llm_judge', () => {
  it('passes if the model says that the criterion is met, and records its judgment', async () => {
    const { verdict } = await judged({}, [vote()]);
    expect(verdict).toEqual({
      status: 'pass',
      message: 'successful, confidence 0.9; It says what to buy.',
      detail: {
        qualitative_summary: 'It says what to buy.',
        capability_checklist: [],
        confidence: 0.9,
        overall_success: true,
      },
    });
  });

  it.each([
    ['yes', { overall_success: true }, 'pass'],
    ['Yes', { overall_success: false }, 'fail'],
    ['no', { overall_success: false }, 'pass'],
    ['no', { overall_success: true }, 'fail'],
    ['0.9+', { overall_success: false }, 'pass'],
    ['0.91+', { overall_success: true }, 'fail'],
    ['0.9-', { overall_success: true }, 'pass'],
    ['0.3-', { confidence: 0.3, overall_success: false }, 'pass'],
    ['0.3-', { overall_success: false }, 'fail'],
    ['0.8-0.9', { overall_success: false }, 'pass'],
    ['0.8 - 0.85', { overall_success: true }, 'fail'],
    ['0.95-1.0', { overall_success: true }, 'fail'],
    ['It is milk, isn’t it', { overall_success: true }, 'pass'],
    ['It is milk', { overall_success: false }, 'fail'],
  ])('with expected %j and the answer %j gives %s', async (expected, answer, status) => {
    const { verdict } = await judged({ expected }, [vote(answer)]);
    expect(verdict.status).toBe(status);
  });

  it.each([
    ['0.95+', 'expected a confidence of at least 0.95'],
    ['0.3-', 'expected a confidence of at most 0.3'],
    ['0.5-0.8', 'expected a confidence from 0.5 to 0.8'],
    ['no', 'expected: not successful'],
  ])('that expects %s and does not get it says what it expected', async (expected, message) => {
    const { verdict } = await judged({ expected }, [vote()]);
    expect(verdict.status).toBe('fail');
    expect(verdict.message).toContain(message);
  });

  it('gives the model the answer, the conversation and the actions as evidence, apart from the criterion', async () => {
    const { asked } = await judged({ expected: 'Milk, and nothing else', capabilities: ['reads files'] }, [
      vote({ capability_checklist: [{ capability: 'reads files', reasoning: 'cat', achieved: true }] }),
    ]);
    expect(asked).toMatchObject([
      {
        evidence: {
          'final answer of the agent': 'Buy milk.',
          conversation: 'Turn 1:\nUser: What must I buy?\nAgent: Buy milk.',
          'commands that the agent ran': 'cat notes.md',
          'tools that the agent called, and how often': 'Bash: 1',
        },
        votes: 1,
        timeoutSecs: 300,
      },
    ]);
    const instructions = asked[0]?.instructions ?? '';
    for (const part of ['It says what to buy.', 'Milk, and nothing else', '- reads files'])
      expect(instructions).toContain(part);
    expect(instructions).not.toContain('Buy milk.');
  });

  it('does not show the model whether yes or no passes', async () => {
    for (const expected of ['yes', 'no', '0.7+', '0.3-', '0.7-0.9']) {
      const { asked } = await judged({ expected }, [vote()]);
      const { asked: plain } = await judged({}, [vote()]);
      expect(asked[0]?.instructions).toBe(plain[0]?.instructions);
    }
  });

  it('shows the model each command on its own line, and says so if not all of them are known', async () => {
    const commands = ['cat notes.md', 'rm notes.md'].map((whole) => ({ whole, parts: [whole] }));
    const evidenceIf = async (structured: boolean) =>
      (await judged({}, [vote()], { ...did, commands, structured })).asked[0]?.evidence;
    const each = 'cat notes.md\nrm notes.md';
    expect(await evidenceIf(true)).toMatchObject({ 'commands that the agent ran': each });
    expect(await evidenceIf(false)).toMatchObject({ 'commands that the agent ran, as far as known': each });
  });

  it('judges the output of a command as such', async () => {
    const { asked } = await judged({}, [vote()], { ...did, answer: '42', isOutput: true });
    expect(asked[0]?.evidence).toMatchObject({ 'output of the command': '42' });
    expect(asked[0]?.evidence).not.toHaveProperty('conversation');
  });

  it('is an error, and asks nothing, if what the agent said is unknown', async () => {
    const unread = await judged({}, [vote()], { ...did, unread: true });
    expect(unread.verdict.status).toBe('error');
    expect(unread.asked).toEqual([]);
    expect((await judged({}, [vote()], null)).verdict.status).toBe('error');
  });

  it('asks with the temperature of the scenario, and as many times as there are votes', async () => {
    const no = vote({ overall_success: false });
    const { verdict, asked } = await judged({ votes: 3, temperature: 0.1 }, [vote(), no, vote()]);
    expect(asked).toMatchObject([{ votes: 3, temperature: 0.1 }]);
    expect(verdict).toMatchObject({ status: 'pass', detail: { votes: [true, false, true] } });
    expect(verdict.message).toContain('2 of 3 votes');
    expect((await judged({ votes: 2 }, [vote(), no])).verdict.status).toBe('fail');
  });

  it('refuses an answer that contradicts itself or is not about the capabilities', () => {
    const capabilities = ['c1', 'c2'];
    expect(voteProblem(capabilities, vote(shown(true, true)))).toBeNull();
    expect(voteProblem(capabilities, vote(shown(true, false)))).toBeNull();
    const contradiction = vote({ ...shown(true, false), overall_success: true });
    expect(voteProblem(capabilities, contradiction)).toContain('overall_success');
    expect(voteProblem(capabilities, vote(shown(true)))).toContain('"c2" is not answered');
    expect(voteProblem(capabilities, vote(shown(true, true, true)))).toContain('"c3" was not asked for');
    expect(voteProblem(['c1'], vote({ confidence: 1.1 }))).toContain('confidence');
    const [first] = shown(true).capability_checklist;
    const twice = vote({ capability_checklist: first === undefined ? [] : [first, first] });
    expect(voteProblem(['c1'], twice)).toContain('"c1" is answered twice');
  });

  it('names the capabilities that most votes do not see', async () => {
    const capabilities = ['c1', 'c2'];
    const { verdict } = await judged({ capabilities }, [vote(shown(true, false))]);
    expect(verdict).toMatchObject({
      status: 'fail',
      message: 'not successful, confidence 0.9; not achieved: "c2"; It says what to buy.',
      detail: {
        overall_success: false,
        capability_checklist: [
          { capability: 'c1', achieved: true, reasoning: 'seen' },
          { capability: 'c2', achieved: false, reasoning: 'not seen' },
        ],
      },
    });
  });
});

describe('votes', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const arbitrary = fc.record({
    qualitative_summary: fc.string(),
    capability_checklist: fc.constant<JudgeVote['capability_checklist']>([]),
    confidence: share,
    overall_success: fc.boolean(),
  });
  const expected = fc.oneof(fc.record({ success: fc.boolean() }), fc.record({ min: share, max: share }));

  it('pass only with more than half of them, whatever is expected, and in any order', () => {
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 9 }), expected, (votes, wanted) => {
        const one = (vote: JudgeVote) => judgeVotes({ capabilities: [], expected: wanted }, [vote]).status;
        const passing = votes.filter((vote) => one(vote) === 'pass').length;
        const { status } = judgeVotes({ capabilities: [], expected: wanted }, votes);
        expect(status).toBe(passing * 2 > votes.length ? 'pass' : 'fail');
        expect(judgeVotes({ capabilities: [], expected: wanted }, [...votes].reverse()).status).toBe(status);
      }),
    );
  });

  it('of the opposite expectation never both pass', () => {
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 9 }), (votes) => {
        const passes = [true, false].filter(
          (success) => judgeVotes({ capabilities: [], expected: { success } }, votes).status === 'pass',
        );
        expect(passes.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('with a usable checklist succeed exactly if all capabilities are achieved', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (achieved) => {
        const capabilities = achieved.map((_, at) => `c${at + 1}`);
        const answer = vote(shown(...achieved));
        expect(voteProblem(capabilities, answer)).toBeNull();
        const { status } = judgeVotes({ capabilities, expected: { success: true } }, [answer]);
        expect(status).toBe(achieved.every(Boolean) ? 'pass' : 'fail');
      }),
    );
  });
});

describe('the fields of llm_judge', () => {
  const errors = (fields: object): string[] => errorsOf({ type: 'llm_judge', prompt: 'x', ...fields });

  it('expected is yes, no, a confidence, or a text', () => {
    expect(parseExpected()).toEqual({ success: true });
    expect(parseExpected(' NO ')).toEqual({ success: false });
    expect(parseExpected('.5+')).toEqual({ min: 0.5, max: 1 });
    expect(parseExpected('0.3-')).toEqual({ min: 0, max: 0.3 });
    expect(parseExpected('0.8 - 1.0')).toEqual({ min: 0.8, max: 1 });
    for (const text of ['C++', '-0.3', '0.8-high', 'room 1-2']) expect(parseExpected(text)).toEqual({ success: true });
    for (const expected of ['8+', '30-', '0.8-10', '0.9-0.8'])
      expect(errors({ expected })).toEqual([expect.stringContaining('from 0 to 1') as string]);
    expect(errors({ expected: '1+' })).toEqual([]);
  });

  it('json_schema must be a JSON schema of an object that leaves room for the judgment', () => {
    expect(errors({ json_schema: { type: 'object', properties: { tone: { type: 'string' } } } })).toEqual([]);
    const draft7 = 'http://json-schema.org/draft-07/schema#';
    expect(errors({ json_schema: { $schema: draft7, type: 'object' } })).toEqual([]);
    for (const [schema, message] of [
      [{ type: 'text' }, 'expected a JSON schema'],
      [{ properties: { tone: { minimun: 3 } } }, 'unknown keyword: "minimun"'],
      [{ $ref: '#/$defs/x' }, "can't resolve reference"],
      [{ type: 'array' }, 'expected type: object'],
      [{ properties: { tone: {} }, additionalProperties: false }, 'forbids qualitative_summary'],
    ] as const)
      expect(errors({ json_schema: schema })).toEqual([expect.stringContaining(message) as string]);
  });

  it('json_schema adds to what the answer must have', async () => {
    const json_schema = { properties: { tone: { enum: ['kind', 'rude'] } }, required: ['tone'] };
    const given = (more: object) => judged({ json_schema }, [{ ...vote(), ...more }]);
    expect((await given({ tone: 'kind' })).verdict.status).toBe('pass');
    await expect(given({ tone: 'odd' })).rejects.toThrow('json_schema: /tone must be equal to one of');
    await expect(given({})).rejects.toThrow("json_schema: must have required property 'tone'");
    expect(requestSchema(json_schema)).toMatchObject({
      type: 'object',
      properties: { tone: { enum: ['kind', 'rude'] }, overall_success: { type: 'boolean' } },
      required: ['tone', 'qualitative_summary', 'capability_checklist', 'confidence', 'overall_success'],
    });
  });

  it('others are checked too', () => {
    expect(errors({ capabilities: [] })).toHaveLength(1);
    expect(errors({ capabilities: ['a', 'a'] })).toHaveLength(1);
    expect(errors({ votes: 10 })).toHaveLength(1);
    expect(errors({ timeout_secs: 301 })).toHaveLength(1);
    expect(errors({ model_type: 'TEXT_LARGE', temperature: 0.1 })).toEqual([]);
    expect(errorsOf({ type: 'llm_judge' })).toEqual(['prompt: missing: expected the criterion']);
  });
});
