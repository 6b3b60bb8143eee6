import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/agents/claude-code.js';
import { claudeCodeStream } from '../../../src/agents/streams/claude-code.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { skillUses } from '../../../src/model/transcript/skill-uses.js';
import { createTrajectoryCollector } from '../../../src/model/transcript/trajectory.js';
import { classify, endOf, eventsOf, ofType } from '../read-capture.js';

const INIT = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
const eventsIn = (...lines: object[]): EventBody[] => {
  const parser = claudeCodeStream();
  return lines.flatMap((line) => parser.line(JSON.stringify(line)));
};
const used = (events: readonly EventBody[]): string[] =>
  events.flatMap((event) =>
    event.type === 'extension' ? `${event.kind} ${event.name} ${String(event.exit_code)}` : [],
  );

describe('a plugin in the stream of Claude Code', () => {
  const events = eventsOf(claudeCodeStream(), 'claude-code-plugin');

  it('shows the command of the prompt, skills, subagents and hooks that were used, and no others', () => {
    expect(used(events)).toEqual([
      'hook SessionStart:startup 0',
      'skill stamper:seal null',
      'subagent stamper:reviewer null',
      'hook PostToolUse:Bash 0',
      'hook PostToolUse:Bash 127',
      'hook PostToolUse:Bash 0',
      'hook PostToolUse:Bash 127',
      'hook PreToolUse:Write 2',
    ]);
    expect(skillUses(events).map(({ skill }) => skill)).toEqual(['stamper:seal', 'stamper:stamp', 'stamp']);
    expect(ofType(events, 'unknown')).toEqual([]);
    expect(classify(claudeCode({ args: [], models: [], env: {} }), 'claude-code-plugin').ending).toBe('done');
    expect(endOf(claudeCode({ args: [], models: [], env: {} }), 'claude-code-plugin').error).toBeNull();
  });

  it('is counted in the trajectory', () => {
    const collector = createTrajectoryCollector();
    for (const event of events) collector.add(event);
    const { skills, subagents, hooks, unexecuted } = collector.end(null);
    expect(skills).toEqual({ 'stamper:seal': 1, 'stamper:stamp': 1, stamp: 1 });
    expect(subagents).toEqual({ 'stamper:reviewer': 1 });
    expect(unexecuted).toEqual({ Skill: 1 });
    expect(hooks).toEqual({
      'SessionStart:startup': { worked: 1, failed: 0, failure: '' },
      'PostToolUse:Bash': {
        worked: 2,
        failed: 2,
        failure: expect.stringMatching(/^exit code 127: .*no-such-program/) as string,
      },
      'PreToolUse:Write': { worked: 1, failed: 0, failure: '' },
    });
  });

  it('makes the run an error if it was not loaded, whatever the agent says', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'All is done.' };
    const after = (error: object): EventBody | undefined =>
      eventsIn({ ...INIT, plugin_errors: [error] }, result).at(-1);
    expect(after({ plugin: 'inline[0]', type: 'generic-error', message: 'Failed to load plugin: no' })).toMatchObject({
      type: 'error',
      message: 'a plugin was not loaded: Failed to load plugin: no',
    });
    expect(after({ plugin: 'q@inline', type: 'hook-load-failed', message: 'Hook load failed' })?.type).toBe('error');
    expect(after({ plugin: 'other@market', message: 'not installed' })).toMatchObject({
      type: 'result',
      ending: 'done',
    });
  });

  it('is known to have a skill that was called by its short name only if Claude Code names its folder', () => {
    const call = (id: string, skill: string): object => ({
      type: 'assistant',
      message: { model: 'm', content: [{ type: 'tool_use', id, name: 'Skill', input: { skill } }] },
    });
    const result = (id: string, is_error: boolean): object => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'Launching skill', is_error }] },
    });
    const shown = (folder: string): object => ({
      type: 'user',
      isSynthetic: true,
      message: { content: [{ type: 'text', text: `Base directory for this skill: ${folder}\n\n# Text` }] },
    });
    const ofPlugin = shown('/run/config/plugins/office/more/skills/stamp');
    expect(used(eventsIn(INIT, call('1', 'stamp'), result('1', false), ofPlugin))).toEqual(['skill office:stamp null']);
    expect(used(eventsIn(INIT, call('1', 'stamp'), result('1', true), ofPlugin))).toEqual([]);
    expect(
      used(eventsIn(INIT, call('1', 'stamp'), result('1', false), shown('/run/config/claude/skills/stamp'))),
    ).toEqual([]);
    expect(used(eventsIn(INIT, call('1', 'office:stamp'), result('1', false), ofPlugin))).toEqual([]);
  });

  it('is not seen in texts that only look like it', () => {
    const command = '<command-message>a:b</command-message>\n<command-name>/a:b</command-name>';
    const base = 'Base directory for this skill: /run/config/plugins/a/skills/b\n\nText.';
    const user = (content: unknown, more: object = {}): object => ({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      ...more,
    });
    const text = [{ type: 'text', text: base }];
    expect(used(eventsIn(INIT, user(command), user(`It is ${command}`, { isReplay: true })))).toEqual([]);
    expect(used(eventsIn(INIT, user(text), user(text, { isSynthetic: true })))).toEqual([]);
    expect(used(eventsIn(INIT, user(command, { isReplay: true })))).toEqual(['skill a:b null']);
  });
});

describe('launching Claude Code with a plugin', () => {
  const agent = claudeCode({ args: [], models: [], env: {} });
  const plugin = { kind: 'plugin' as const, name: 'office', files: [], skills: [], subagents: [], hooks: [] };
  const request = {
    ...{
      prompt: '/office:stamp "a"',
      model: 'default',
      workspace: '/run/workspace',
      home: '/run/home',
      config: '/run/config',
    },
    ...{ sessionId: 'id', maxTurns: null, system: null, access: null, mock: null, hasNode: true },
  };

  it('names the copy of the plugin, and gives the prompt as JSON, so that what became of it is printed', () => {
    const { argv, stdin } = agent.launch({ ...request, subject: [plugin] });
    expect(argv.slice(argv.indexOf('--plugin-dir')).slice(0, 2)).toEqual([
      '--plugin-dir',
      '/run/config/plugins/office',
    ]);
    expect(argv).toEqual(expect.arrayContaining(['--include-hook-events', '--replay-user-messages']));
    expect(JSON.parse(stdin)).toEqual({ type: 'user', message: { role: 'user', content: request.prompt } });
    const bare = agent.launch(request);
    expect(bare.stdin).toBe(request.prompt);
    expect(bare.argv.join(' ')).not.toMatch(/plugin|hook|input-format/);
  });
});
