import { z } from 'zod';
import type { Loaded } from '#input';
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
export function loadSkill(file: string, text: string): Loaded<Skill> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const isMark = (line: string | undefined): boolean => line?.trimEnd() === '---';
  const end = lines.findIndex((line, at) => at > 0 && isMark(line));
  if (!isMark(lines[0]) || end === -1) {
    const message = 'expected front matter first: a line "---", name and description, and a line "---"';
    return { ok: false, problems: [{ file, line: 1, column: 1, path: '', message }] };
  }
  // A comment in place of the first line keeps the numbers of the others.
  return loadYaml(Skill, file, ['#', ...lines.slice(1, end), ''].join('\n'));
}
