import { join } from 'node:path';
import { UsageError } from '../lib/errors/usage-error.js';
import { displayPath } from '../platform/display-path.js';
import { loadSkill } from '../scenario/yaml/load-skill.js';
import { loadText } from './file-checks.js';

/** The name in SKILL.md, under which the skill is installed. @throws UsageError with its problems */
export function skillName(folder: string): string {
  const file = displayPath(join(folder, 'SKILL.md'));
  const read = loadText(join(folder, 'SKILL.md'));
  if (!read.ok) throw new UsageError('usage', `${file} cannot be read: ${read.reason}`);
  const skill = loadSkill(file, read.text);
  if (skill.ok) return skill.value.name;
  throw new UsageError(
    'scenario_invalid',
    `${file} is not valid`,
    skill.problems,
    new Map([[file, read.text]]),
  );
}
