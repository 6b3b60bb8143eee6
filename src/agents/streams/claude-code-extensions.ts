import type { EventBody } from '#model';
import { fieldsOf, listOf, stringOf, wholeNumberOf, type Fields } from './json-fields.js';

type Extension = Extract<EventBody, { type: 'extension' }>;

/** The line that names the folder of a skill, in the copy of a plugin (`pluginFolder`). */
const BASE = /^Base directory for this skill: .*\/plugins\/([^/\n]+)\/(?:.*\/)?([^/\n]+)$/m;

/** Begins the message of an end without a plugin under test. */
export const UNLOADED = 'a plugin was not loaded';

const use = (kind: 'skill' | 'subagent', name: string): Extension => ({
  type: 'extension',
  kind,
  name,
  exit_code: null,
  output: '',
});

/** Finds in the stream of Claude Code which skills, commands, subagents and hooks it has used, and plugins it lacks. */
export function claudeCodeExtensions() {
  let unloaded: string | null = null;
  /** Ids of calls that name a skill without its plugin. */
  const short = new Set<string>();
  /** True if such a call has succeeded, and no line has said yet whose skill it is. */
  let isOpen = false;

  const ofText = (text: string): Extension[] => {
    const [, plugin = '', folder = ''] = BASE.exec(text) ?? [];
    if (!isOpen || plugin === '') return [];
    isOpen = false;
    return [use('skill', `${plugin}:${folder}`)];
  };

  return {
    /** Takes note of the line that begins a start. */
    begin(line: Fields): void {
      isOpen = false;
      short.clear();
      const errors = listOf(line['plugin_errors'])
        .map(fieldsOf)
        // Only of --plugin-dir: settings of the workspace may name other plugins.
        .filter((error) => /(^|@)inline\b/.test(stringOf(error['plugin']) ?? ''));
      unloaded = errors.length === 0 ? null : `${UNLOADED}: ${stringOf(errors[0]?.['message']) ?? '?'}`;
    },
    /** Returns the reason why a plugin under test was not loaded; null if all were. */
    unloaded: (): string | null => unloaded,
    called(id: string, skill: string): void {
      if (!skill.includes(':')) short.add(id);
    },
    /** A command or skill in the prompt, which Claude Code has replaced by its text. */
    ofPrompt(line: Fields): Extension[] {
      const text = stringOf(fieldsOf(line['message'])['content']) ?? '';
      const [, name] =
        /^<command-message>[^<]*<\/command-message>\s*<command-name>\/([^<]+)<\/command-name>/.exec(text) ?? [];
      return name === undefined ? [] : [use('skill', name)];
    },
    ofUser(line: Fields): Extension[] {
      const blocks = listOf(fieldsOf(line['message'])['content']).map(fieldsOf);
      isOpen ||= blocks.some(
        (block) => short.delete(stringOf(block['tool_use_id']) ?? '') && block['is_error'] !== true,
      );
      if (line['isSynthetic'] !== true) return [];
      return blocks.flatMap((block) => ofText(stringOf(block['text']) ?? ''));
    },
    /** Null if a line of this kind is about something else. */
    ofSystem(kind: string, line: Fields): Extension[] | null {
      if (kind === 'task_started') {
        const name = stringOf(line['subagent_type']);
        return name === null ? [] : [use('subagent', name)];
      }
      if (kind !== 'hook_response') return null;
      return [
        {
          type: 'extension',
          kind: 'hook',
          name: stringOf(line['hook_name']) ?? '',
          exit_code: wholeNumberOf(line['exit_code']),
          output: stringOf(line['output']) ?? '',
        },
      ];
    },
  };
}
