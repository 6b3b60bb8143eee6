import { z } from 'zod';
import type { Loaded } from '#input';
import { fileProblem } from '#lib';
import { loadYaml } from './load-yaml.js';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

/** The front matter of a SKILL.md. Agents have further fields of their own. */
const Skill = z.looseObject({
  name: z.string().superRefine((name, context) => {
    const message = nameProblem(name);
    if (message !== null) context.addIssue({ code: 'custom', message });
  }),
  description: z.string().superRefine((text, context) => {
    const length = Array.from(text).length;
    const message =
      text.trim() === ''
        ? 'expected what the skill does and when to use it; agents choose skills by this text'
        : length > LONGEST_DESCRIPTION
          ? `expected at most ${LONGEST_DESCRIPTION} characters, got ${length}`
          : null;
    if (message !== null) context.addIssue({ code: 'custom', message });
  }),
});

export type Skill = z.infer<typeof Skill>;

function nameProblem(name: string): string | null {
  if (name.length > LONGEST_NAME) return `expected at most ${LONGEST_NAME} characters, got ${name.length}`;
  if (!NAME.test(name)) return 'expected lower-case letters, digits and single hyphens between them, like "pdf-forms"';
  return null;
}

/**
 * Checks a SKILL.md by the rules of the Agent Skills standard (https://agentskills.io/specification). Never throws:
 * every error is a problem with line and column in `file`. The name of the folder need not be that of the skill, which
 * is installed under its own name: a checkout is often named after its repository.
 */
export const loadSkill = (file: string, text: string): Loaded<Skill> => loadFrontMatter(Skill, file, text);

/**
 * The lines between the first two `---` of a Markdown file, with a comment before them, so that lines have the numbers
 * that they have in the file; and the text after them. Null if it has none.
 */
export function splitFrontMatter(text: string): { yaml: string; body: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const isMark = (line: string | undefined): boolean => line?.trimEnd() === '---';
  const end = lines.findIndex((line, at) => at > 0 && isMark(line));
  return !isMark(lines[0]) || end === -1
    ? null
    : { yaml: ['#', ...lines.slice(1, end), ''].join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** Checks the front matter of a Markdown file. */
export function loadFrontMatter<S extends z.ZodType>(schema: S, file: string, text: string): Loaded<z.output<S>> {
  const front = splitFrontMatter(text);
  if (front !== null) return loadYaml(schema, file, front.yaml);
  const message = 'expected front matter first: a line "---", name and description, and a line "---"';
  return { ok: false, problems: [fileProblem(file, message)] };
}
