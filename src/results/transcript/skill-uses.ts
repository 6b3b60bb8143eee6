import { isJsonObject, type Json } from '../../lib/json.js';
import type { EventBody } from '../records/events.js';
import { commandOf } from './structured-commands.js';
import { ownValue } from '../../lib/own-value.js';

type ToolCall = Extract<EventBody, { type: 'tool_call' }>;

/** One use of a skill: the tool call by which the agent got the skill's instructions, or a file of it. */
export interface SkillUse {
  skill: string;
  /** Id of the call. */
  call: string;
}

/** Tools whose only purpose is to use a skill, and the field of their input that names it. */
const SKILL_TOOLS: Readonly<Record<string, string>> = {
  Skill: 'skill', // Claude Code
  skill: 'name', // OpenCode
  activate_skill: 'name', // Gemini CLI
};

/** Fields in which tools that read a file are given its path. */
const PATH_FIELDS = ['path', 'file_path', 'filePath', 'absolute_path'];
const READ = /(?:^|_)(?:read|view|open|cat)/i;

const NAME = '[a-z0-9]+(?:-[a-z0-9]+)*';
/** `x/stamp/SKILL.md`; a file of a folder of skills, as in `skills/stamp/stamp.sh`; `cd x/skills/stamp`. */
const FILE = new RegExp(
  [
    `(?:^|[/\\s"'=])(${NAME})/SKILL\\.md(?![\\w.-])`,
    `[/\\s"'=]skills/(${NAME})/[\\w.]`,
    `\\bcd\\s+["']?[^\\s"';&|]*skills/(${NAME})(?![\\w.-])`,
  ].join('|'),
  'g',
);

/** The skills whose files a text names by their paths, each once. */
const namedIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(FILE)].flatMap(([, ...names]: (string | undefined)[]) =>
      names.flatMap((name) => name ?? []),
    ),
  ),
];

/**
 * The skills that a tool call uses. Agents with a tool for skills name the skill; others read its SKILL.md, or run a program of
 * its folder, with the tool that reads files or with their shell.
 */
export function skillsOf(call: ToolCall): string[] {
  const command = commandOf(call);
  if (command !== null) return namedIn(command);
  const input: Json = call.input;
  if (!isJsonObject(input)) return [];
  const field = ownValue(SKILL_TOOLS, call.name);
  if (field !== undefined) {
    const name = input[field];
    return typeof name === 'string' ? [name] : [];
  }
  if (!READ.test(call.name)) return [];
  const path = PATH_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof path === 'string' ? namedIn(path) : [];
}

/** The uses of skills in an agent's events, in their order. A call that failed counts: the agent has chosen the skill. */
export const skillUses = (events: Iterable<EventBody>): SkillUse[] =>
  [...events].flatMap((event) =>
    event.type === 'tool_call' ? skillsOf(event).map((skill) => ({ skill, call: event.id })) : [],
  );
