import { workspaceFile } from '#input';
import { compilePattern, shellWord } from '#lib';
import { z } from 'zod';

/* The graders of `claude plugin eval`, by the schema of Claude Code 2.1.330, and the gates that check the same. */

const File = z.strictObject({ source: z.literal('file'), path: workspaceFile });
const Target = z.union([z.enum(['last_message', 'trace', 'files', 'mock_calls']), File]).default('last_message');
const common = {
  name: z.string(),
  weight: z.number().positive().default(1),
  arm: z.enum(['with-only', 'both']).exactOptional(),
};
const whole = z.int().min(0);
const call = z.union([z.string(), z.strictObject({ tool: z.string(), input_match: z.string().exactOptional() })]);

export const Grader = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.literal('regex'),
    target: Target,
    pattern: z.string(),
    flags: z.string().default(''),
    match: z.string().default('contains'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('tool_used'),
    tool: z.string(),
    input_match: z.string().exactOptional(),
    min: whole.exactOptional(),
    max: whole.exactOptional(),
  }),
  z.strictObject({ ...common, type: z.literal('tool_order'), before: call, after: call }),
  z.strictObject({ ...common, type: z.literal('file_exists'), path: z.string(), exists: z.boolean().default(true) }),
  z.strictObject({ ...common, type: z.literal('llm'), criteria: z.string(), focus: Target }),
  z.strictObject({ ...common, type: z.literal('baseline'), baseline_file: z.string(), criteria: z.string() }),
]);
export type Grader = z.infer<typeof Grader>;
type GraderOf<T extends Grader['type']> = Extract<Grader, { type: T }>;

/** The field that the text of a grader in a file of its own is for. */
export const BODY: Readonly<Record<string, string>> = { llm: 'criteria', baseline: 'criteria', regex: 'pattern' };

/** A gate as a scenario declares it. */
export type WrittenGate = { type: string; name: string } & Record<string, string | number>;

/** The names of the plugin's parts, as gates know them. */
export interface PartNames {
  skills: readonly string[];
  subagents: readonly string[];
}

/** Gates on the use of a part, which do not count in runs without the plugin. */
const ON_PARTS = ['skill_used', 'skill_not_used', 'subagent_used'];

/** True if a grader counts only with the plugin, but its gate would count without it, too. */
export const isOnlyWith = ({ arm }: Grader, { type }: WrittenGate): boolean =>
  arm === 'with-only' && !ON_PARTS.includes(type);

/** The gate that checks what a grader checks, or the reason why there is none. */
export function gateOfGrader(grader: Grader, parts: PartNames): WrittenGate | string {
  switch (grader.type) {
    case 'regex':
      return ofRegex(grader);
    case 'tool_used':
      return ofTool(grader, parts);
    case 'file_exists':
      return ofFile(grader);
    case 'llm':
      return grader.focus === 'last_message' || grader.focus === 'trace'
        ? { type: 'llm_judge', name: grader.name, prompt: grader.criteria }
        : 'a model that judges is shown the answer and what the agent did, but no files; use focus: last_message';
    case 'tool_order':
      return 'no gate checks the order of calls';
    case 'baseline':
      return 'no gate compares with the record of another run; compare runs with `compare` instead';
  }
}

function ofRegex({ name, target, pattern, flags, match }: GraderOf<'regex'>): WrittenGate | string {
  const inline = flags.replace(/[^ims]/g, '');
  const written = inline === '' ? pattern : `(?${inline})${pattern}`;
  const compiled = compilePattern(written);
  if (!compiled.ok) return `RE2 does not have this pattern of JavaScript: ${compiled.message}`;
  if (/[^dgimsu]/.test(flags)) return `the flags '${flags}' have no equivalent; only i, m and s do`;
  if (match !== 'contains') return `no gate checks ${match}; only match: contains can be imported`;
  if (target === 'last_message') return { type: 'response_matches', name, pattern: written };
  if (typeof target === 'object') return { type: 'file_matches', name, path: target.path, pattern: written };
  return `no gate looks for a pattern in target: ${target}`;
}

const SKILL = 'Skill';
const SUBAGENT = ['Agent', 'Task'];

function ofTool({ name, tool, input_match, min, max }: GraderOf<'tool_used'>, parts: PartNames): WrittenGate | string {
  const never = max === 0 && (min ?? 0) === 0;
  if (max !== undefined && !never) return 'no gate has an upper limit of calls but 0; leave max out';
  const least = min ?? 1;
  if (!never && least === 0) return 'min: 0 without max is always true; remove it';
  if (tool === SKILL && (never || least === 1)) {
    const type = never ? 'skill_not_used' : 'skill_used';
    if (input_match === undefined) return { type, name };
    const skill = oneOf(parts.skills, input_match, (one) => ({ skill: one }));
    return skill === null ? notOne('skill', input_match) : { type, name, skill };
  }
  if (SUBAGENT.includes(tool) && !never && least === 1 && input_match !== undefined) {
    const subagent = oneOf(parts.subagents, input_match, (one) => ({ subagent_type: one }));
    return subagent === null ? notOne('subagent', input_match) : { type: 'subagent_used', name, subagent };
  }
  if (input_match !== undefined)
    return `no gate checks the input of ${tool}; only that of Skill and Agent can be imported`;
  if (!never) return { type: 'tool_called', name, tool: tool.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), min: least };
  return tool === 'Bash' ? { type: 'max_commands', name, max: 0 } : `no gate checks that ${tool} was not called`;
}

/** The only name whose input matches; null if none does, or several do. */
function oneOf(names: readonly string[], pattern: string, inputOf: (name: string) => object): string | null {
  const compiled = compilePattern(pattern);
  const found = compiled.ok ? names.filter((name) => compiled.test(JSON.stringify(inputOf(name)))) : [];
  return found.length === 1 ? (found[0] ?? null) : null;
}

const notOne = (what: string, pattern: string): string =>
  `input_match '${pattern}' does not match the name of exactly one ${what} of the plugin`;

function ofFile({ name, path, exists }: GraderOf<'file_exists'>): WrittenGate | string {
  if (/[*?[]/.test(path)) return `no gate looks for files by a pattern; name one file in place of '${path}'`;
  if (!workspaceFile.safeParse(path).success) return `'${path}' is no path in the workspace`;
  return exists
    ? { type: 'file_exists', name, path }
    : { type: 'command_succeeds', name, command: `test ! -e ${shellWord(path)}` };
}
