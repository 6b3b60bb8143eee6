import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { skillUses } from '../../../src/model/transcript/skill-uses.js';
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
  type: 'tool_call',
  id: 'c',
  name,
  input,
  command,
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
  ['S=/home/u/skills/x; cat $S/SKILL.md', ['x']],
  ['S="/home/u/.agents/skills"; T=${S}/x\ncat "$T"/SKILL.md', ['x']],
  ['export S=\'skills/x\' && sed -n 1,9p "${S}/SKILL.md"', ['x']],
  ['D=~/skills/x && cd $D && cat SKILL.md', ['x']],
  ['S=/home/u/skills/x; ls $S', []],
  ['cat $S/SKILL.md', []],
])('the command %s uses %j', (command, skills) => {
  expect(usedBy(call('shell', {}, command))).toEqual(skills);
});

test('a tool that writes a skill does not use it, and one that reads it does', () => {
  expect(usedBy(call('write', { path: 'skills/a/SKILL.md' }))).toEqual([]);
  expect(usedBy(call('read_file', { absolute_path: '/x/skills/a/SKILL.md' }))).toEqual(['a']);
});

describe('the front matter of a skill', () => {
  const shows = (output: string, command: string | null = 'cat "$(find / -name SKILL.md)"'): string[] =>
    usedBy(call(command === null ? 'write' : 'shell', {}, command), {
      type: 'tool_result',
      id: 'c',
      exit_code: 0,
      is_error: false,
      output,
      truncated: false,
    });
  const skill = '---\nname: pdf-forms\ndescription: Fills forms\n---\n# Forms\n';

  it.each([
    ['as it is', skill],
    ['after other output', `total 3\n${skill}`],
    ['with numbers of lines', '     1→---\n     2→description: Fills forms\n     3→name: "pdf-forms"\n     4→---\n'],
    ['with carriage returns', skill.replaceAll('\n', '\r\n')],
  ])('in the output of a call proves its use: %s', (_, output) => {
    expect(shows(output)).toEqual(['pdf-forms']);
  });

  it('counts once with a call that names the skill', () => {
    expect(shows(skill, 'cat skills/pdf-forms/SKILL.md')).toEqual(['pdf-forms']);
  });

  it.each([
    ['a name without front matter', 'name: pdf-forms\n'],
    ['a name after front matter', '---\ntitle: x\n---\nname: pdf-forms\n'],
    ['front matter without a description', '---\nname: pdf-forms\n---\n'],
    ['a line between rules', 'a\n---\nsome text\n---\n'],
  ])('is not %s', (_, output) => {
    expect(shows(output)).toEqual([]);
  });

  it('in the output of a tool that does not read is no use', () => {
    expect(shows(skill, null)).toEqual([]);
  });

  it('is found in linear time', () => {
    for (const part of ['---\n', '1 ---\nname:\n', '--- \n  ', 'S=$S$S;'])
      expect(shows(part.repeat(100_000), part.repeat(20_000))).toEqual([]);
  });
});

test('a call that failed counts, because the agent has chosen the skill', () => {
  const failed: EventBody = {
    type: 'tool_result',
    id: 'c',
    exit_code: null,
    is_error: true,
    output: '',
    truncated: false,
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
        for (const { skill } of skillUses([event, call('sh', {}, command)])) expect(skill).toMatch(/^[a-z0-9-]+$/);
      },
    ),
  );
});
