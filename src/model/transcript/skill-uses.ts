import { isJsonObject, type Json, ownValue } from '#lib/pure';
import type { EventBody } from '../records/events.js';
import { commandOf } from './structured-commands.js';

type ToolCall = Extract<EventBody, { type: 'tool_call' }>;

/** One use of a skill: the tool call by which the agent got the skill's instructions, or a file of it. */
export interface SkillUse {
  skill: string;
  /** Id of the call; null if no call shows the use. */
  call: string | null;
  /** True if a use was reported before, but the call was not executed. */
  isTakenBack?: true;
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
/**
 * A file of a skill in a plugin, as in `plugins/office/skills/stamp/stamp.sh`; `x/stamp/SKILL.md`; a file of a folder
 * of skills, as in `skills/stamp/stamp.sh`; `cd x/skills/stamp`.
 */
const FILE = new RegExp(
  [
    `/plugins/([\\w.-]+/skills/${NAME})(?=[/\\s"';&|)]|$)`,
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
      names.flatMap((name) => name?.replace('/skills/', ':') ?? []),
    ),
  ),
];

/**
 * The skills that a tool call uses. Agents with a tool for skills name the skill; others read its SKILL.md, or run a
 * program of its folder, with the tool that reads files or with their shell.
 */
export function skillsOf(call: ToolCall): string[] {
  const command = commandOf(call);
  if (command !== null) return [...new Set([...namedIn(command), ...namedIn(withVariables(command))])];
  const input: Json = call.input;
  if (!isJsonObject(input)) return [];
  const field = ownValue(SKILL_TOOLS, call.name);
  if (field !== undefined) {
    const name = input[field];
    return typeof name === 'string' ? [name.replace(/^\//, '')] : [];
  }
  if (!READ.test(call.name)) return [];
  const path = PATH_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof path === 'string' ? namedIn(path) : [];
}

const ASSIGNMENT = /(?:^|[\s;&|(])([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|()]*)/g;
const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
/** In characters. Paths are shorter, and values that contain each other could grow without end. */
const [SCRIPT_LENGTH, VALUE_LENGTH] = [64 * 1024, 1024];

/**
 * A script in which the values that it gives to variables stand for them, without quotes: `S=a/x; cat "$S/SKILL.md"`.
 */
function withVariables(script: string): string {
  const text = script.slice(0, SCRIPT_LENGTH);
  const values = new Map<string, string>();
  const filled = (part: string): string =>
    part.replace(REFERENCE, (whole, braced?: string, plain?: string) => values.get(braced ?? plain ?? '') ?? whole);
  for (const [, name = '', value = ''] of text.matchAll(ASSIGNMENT))
    values.set(name, filled(value.replace(/["']/g, '')).slice(0, VALUE_LENGTH));
  return values.size === 0 ? '' : filled(text).replace(/["']/g, '');
}

/** The number that tools which show files put before a line. */
const NUMBER = /^[ \t]*\d+(?:→|[:|]?[ \t])/;
const NAME_LINE = new RegExp(`^name:[ \\t]*["']?(${NAME})["']?[ \\t]*$`);
/** Front matter is short. */
const FRONT_LINES = 30;

/**
 * The skills whose instructions a text shows: it contains the front matter of their SKILL.md, with `name` and
 * `description`.
 */
function shownIn(text: string): string[] {
  if (!text.includes('---')) return [];
  const skills: string[] = [];
  /** The lines since the last line that begins or ends front matter. */
  let front: string[] | null = null;
  for (const numbered of text.split(/\r?\n/)) {
    const line = numbered.replace(NUMBER, '').trimEnd();
    if (line.trimStart() === '---') {
      const name = front?.map((one) => NAME_LINE.exec(one)?.[1]).find((one) => one !== undefined);
      if (name !== undefined && front?.some((one) => one.startsWith('description:')) === true) skills.push(name);
      front = [];
    } else if (front !== null) front = front.length < FRONT_LINES ? [...front, line] : null;
  }
  return skills;
}

/** Finds uses of skills in events, each once, in bounded memory. */
export interface SkillUseFinder {
  /** The skills whose use an event shows first, or takes back. */
  add(event: EventBody): SkillUse[];
}

/**
 * Creates a finder. The call that names a skill or a file of it is a use, also if it fails: the agent has chosen the
 * skill. So is a call that reads, and shows the front matter of a skill, in whatever way it named the file. A call that
 * was not executed is none.
 */
export function createSkillUseFinder(): SkillUseFinder {
  /** The calls that have not ended and may show files, with the skills that they name. */
  const open = new Map<string, readonly string[]>();
  return {
    add(event) {
      if (event.type === 'tool_call') {
        const skills = skillsOf(event);
        if (commandOf(event) !== null || READ.test(event.name) || Object.hasOwn(SKILL_TOOLS, event.name))
          open.set(event.id, skills);
        return skills.map((skill) => ({ skill, call: event.id }));
      }
      if (event.type === 'extension') return event.kind === 'skill' ? [{ skill: event.name, call: null }] : [];
      if (event.type !== 'tool_result') return [];
      const named = open.get(event.id);
      open.delete(event.id);
      if (named === undefined) return [];
      if (event.executed === false)
        return named.map((skill) => ({ skill, call: event.id, isTakenBack: true as const }));
      const shown = new Set(shownIn(event.output));
      return [...shown].flatMap((skill) => (named.includes(skill) ? [] : [{ skill, call: event.id }]));
    },
  };
}

/** The uses of skills in an agent's events, in their order. */
export function skillUses(events: Iterable<EventBody>): SkillUse[] {
  const finder = createSkillUseFinder();
  const found = [...events].flatMap((event) => finder.add(event));
  const isTakenBack = (use: SkillUse): boolean =>
    found.some((one) => one.isTakenBack === true && one.skill === use.skill && one.call === use.call);
  return found.filter((use) => !isTakenBack(use));
}
