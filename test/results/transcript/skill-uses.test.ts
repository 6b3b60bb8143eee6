import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/index.js';
import type { EventBody } from '../../../src/results/records/events.js';
import { skillUses } from '../../../src/results/transcript/skill-uses.js';
import { eventsOf } from '../../agents/read-capture.js';
import { CLI_NAMES } from '../../agents/clis.js';

const parserOf = (name: string) => (knownAgents({}).get(name) as Agent).parser();

describe.each(CLI_NAMES)('the uses of skills of %s', (name) => {
  it('are found in what it printed', () => {
    const uses = skillUses(eventsOf(parserOf(name), `${name}-skill`));
    expect(uses.map(({ skill }) => skill)).toEqual(['stamp']);
  });
  it('are none where it only ran a command', () => {
    expect(skillUses(eventsOf(parserOf(name), `${name}-ok`))).toEqual([]);
  });
});

const call = (name: string, input: Record<string, string>, command: string | null = null): EventBody => ({
  ...{ type: 'tool_call', id: 'c', name, input, command },
});
const usedBy = (...events: EventBody[]): string[] => skillUses(events).map(({ skill }) => skill);

test.each([
  ['cat /home/u/.codex/skills/pdf-forms/SKILL.md', ['pdf-forms']],
  ['sed -n 1,80p "skills/a/SKILL.md" && cat b/SKILL.md', ['a', 'b']],
  ['cat a/SKILL.md a/SKILL.md', ['a']],
  ['sh "$HOME/.agents/skills/stamp/stamp.sh" > out.txt', ['stamp']],
  ['ls ~/.codex/skills', []],
  ['ls ~/.codex/skills/stamp', []],
  ['cd "$HOME/.agents/skills/stamp" && cat SKILL.md', ['stamp']],
  ['cat SKILL.md', []],
  ['cat a/SKILL.md.bak', []],
  ['echo stamp', []],
])('the command %s uses %j', (command, skills) => {
  expect(usedBy(call('shell', {}, command))).toEqual(skills);
});

test('a tool that writes a skill does not use it, and one that reads it does', () => {
  expect(usedBy(call('write', { path: 'skills/a/SKILL.md' }))).toEqual([]);
  expect(usedBy(call('read_file', { absolute_path: '/x/skills/a/SKILL.md' }))).toEqual(['a']);
});

test('a call that failed counts, because the agent has chosen the skill', () => {
  const failed: EventBody = {
    ...{ type: 'tool_result', id: 'c', exit_code: null, is_error: true, output: '', truncated: false },
  };
  expect(usedBy(call('Skill', { skill: 'a' }), failed)).toEqual(['a']);
});

test('any call gives names of skills, quickly', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 2000, size: 'max' }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (command, input) => {
        const event: EventBody = {
          type: 'tool_call',
          id: 'c',
          name: 'Read',
          input: input as never,
          command: null,
        };
        for (const { skill } of skillUses([event, call('sh', {}, command)]))
          expect(skill).toMatch(/^[a-z0-9-]+$/);
      },
    ),
  );
});
