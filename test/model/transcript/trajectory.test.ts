import { describe, expect, it } from 'vitest';
import type { EventBody } from '../../../src/model/records/events.js';
import { createTrajectoryCollector } from '../../../src/model/transcript/trajectory.js';
import { say } from '../transcripts.js';

const shell = (command: string): EventBody => ({
  type: 'tool_call',
  id: '1',
  name: 'Bash',
  input: null,
  command,
});
const tool = (name: string, input: Extract<EventBody, { type: 'tool_call' }>['input'] = null): EventBody => ({
  type: 'tool_call',
  id: '1',
  name,
  input,
  command: null,
});

/** `inText`: the calls in output that is plain text; null for events. */
function collect(events: EventBody[], inText: string[] | null = null) {
  const collector = createTrajectoryCollector();
  for (const event of events) collector.add(event);
  return collector.end(inText === null ? null : () => inText);
}
const partsOf = (command: string) => collect([shell(command)]).commands.flatMap(({ parts }) => parts);

describe('commands', () => {
  it('of any shell-like tool are kept whole and in parts', () => {
    const events = [shell('cd a && git log | head'), tool('exec', { cmd: ['bash', '-lc', 'ls; pwd'] })];
    expect(collect([...events, tool('Read', { path: 'a' })])).toMatchObject({
      commands: [
        { whole: 'cd a && git log | head', parts: ['cd a', 'git log', 'head'] },
        { whole: "bash -lc 'ls; pwd'", parts: ['ls', 'pwd'] },
      ],
      commandCount: 5,
      structured: true,
    });
  });

  it.each([
    ['for f in a b; do tool add $f; done', ['tool add $f']],
    ['for f in $(ls); do tool $f; done', ['ls', 'tool $f']],
    ['if ! tool check; then tool fix; else\n echo ok\nfi > log', ['tool check', 'tool fix', 'echo ok']],
    ['while read x\ndo\n  tool $x\ndone < list', ['read x', 'tool $x']],
    ['{ a; b; } && c', ['a', 'b', 'c']],
    ['cat > notes.md <<EOF\nrm -rf /\nEOF\ntool add # then rm', ['cat > notes.md <<EOF', 'tool add']],
    ['doctor && donee', ['doctor', 'donee']],
    ['# nothing', []],
  ])('%j has the parts %j, without keywords of the shell', (command, parts) => {
    expect(partsOf(command)).toEqual(parts);
  });

  it('are cut with a mark if they are long, but commands after a long one are kept', () => {
    const { commands } = collect([shell(`cat > a <<EOF\n${'x\n'.repeat(9000)}EOF\ntool add ${'y'.repeat(9000)}`)]);
    expect(commands.map(({ whole }) => whole.length)).toEqual([2001]);
    expect(commands[0]?.parts).toEqual(['cat > a <<EOF', `tool add ${'y'.repeat(1991)}…`]);
  });

  it('are counted even if there are too many to keep', () => {
    const { commands, commandCount } = collect([...Array.from({ length: 1500 }, () => shell('a; b')), shell('c')]);
    expect(commandCount).toBe(3001);
    expect(commands.flatMap(({ parts }) => parts)).toHaveLength(2000);
    expect(collect([shell('a;'.repeat(200_000))])).toMatchObject({ commandCount: 200_000 });
  });

  it('come from the text if the output is text, whatever its events look like', () => {
    expect(collect([say('$ tool add')], ['tool add; x'])).toMatchObject({
      commands: [{ whole: 'tool add; x', parts: ['tool add; x'] }],
      commandCount: 1,
      structured: false,
    });
    expect(collect([say('$ tool add')])).toMatchObject({ commandCount: 0, structured: true });
    expect(collect([])).toMatchObject({ commandCount: 0, structured: true });
  });
});

describe('tools', () => {
  it('are counted by name, for any name', () => {
    const { tools } = collect([tool('Read'), tool('__proto__'), tool('Read'), tool('constructor')]);
    expect(Object.entries(tools)).toEqual([
      ['Read', 2],
      ['__proto__', 1],
      ['constructor', 1],
    ]);
  });

  it('that the agent does not have are counted apart, and so is what they would have run', () => {
    const named = { ...shell('tool add'), name: 'FLY', executed: false } as EventBody;
    expect(collect([named, tool('Read'), named])).toMatchObject({
      tools: { Read: 1 },
      unexecuted: { FLY: 2 },
      actions: ['Read'],
      commands: [],
      commandCount: 0,
      structured: true,
    });
    expect(collect([tool('Read')])).not.toHaveProperty('unexecuted');
  });

  it('do not include calls of which the result says that nothing was executed', () => {
    const refused = (id: string): EventBody => ({
      type: 'tool_result',
      id,
      exit_code: null,
      is_error: true,
      output: '',
      truncated: false,
      executed: false,
    });
    const call = (id: string, name: string, command: string | null): EventBody => ({
      type: 'tool_call',
      id,
      name,
      input: null,
      command,
    });
    const skill = call('c', 'read', 'cat x/a/SKILL.md');
    expect(
      collect([call('a', 'X', 'one; two'), call('b', 'Y', 'three'), refused('a'), skill, refused('c')]),
    ).toMatchObject({
      tools: { Y: 1 },
      unexecuted: { X: 1, read: 1 },
      actions: ['Y'],
      skills: {},
      commandCount: 1,
      commands: [{ whole: 'three', parts: ['three'] }],
    });
    const ids = Array.from({ length: 2500 }, (_, index) => `${index}`);
    const left = collect([...ids.map((id) => call(id, 'X', 'a')), ...ids.slice(1).map(refused)]);
    expect(left).toMatchObject({ tools: { X: 1 }, unexecuted: { X: 2499 }, commandCount: 1 });
    expect(left.commands).toHaveLength(1);
  });

  it('do not fill the memory with their names', () => {
    const { tools } = collect(Array.from({ length: 3000 }, (_, index) => tool(`${index}${'x'.repeat(1000)}`)));
    expect(Object.keys(tools)).toHaveLength(1000);
    expect(Object.keys(tools)[0]).toHaveLength(201);
  });
});

describe('what was not read', () => {
  const lost = (what: 'event' | 'call'): EventBody => ({ type: 'unknown', kind: 'a step', lost: what });
  const unseenIn = (...events: EventBody[]) => {
    const { unread, unseen } = collect(events);
    return { unread, unseen };
  };

  it('leaves everything unknown after the last message, and calls before it', () => {
    const calls = { calls: 'not all of its output could be read' };
    expect(unseenIn(say('a'), lost('event'))).toEqual({ unread: true });
    expect(unseenIn(lost('event'), say('a'))).toEqual({ unseen: calls });
    expect(unseenIn(lost('event'), say('a', 'user'))).toEqual({ unread: true });
    expect(unseenIn(say('a'), lost('event'), say('b'), lost('event'))).toEqual({ unread: true });
  });

  it('leaves only calls unknown if it is known to be a call', () => {
    expect(unseenIn(say('a'), lost('call'))).toEqual({ unseen: { calls: 'a step' } });
    expect(unseenIn(say('a'), { type: 'unknown', kind: 'noise' })).toEqual({});
  });
});

describe('the answer', () => {
  it('is the last message of the assistant', () => {
    expect(collect([]).answer).toBeNull();
    expect(collect([say('hello', 'user')]).answer).toBeNull();
    expect(collect([say('first'), say('last'), shell('ls'), say(' \n'), say('thanks', 'user')]).answer).toBe('last');
  });

  it('is cut if it is very long', () => {
    expect(collect([say('x'.repeat(300_000))]).answer).toHaveLength(256 * 1024 + 1);
  });
});
