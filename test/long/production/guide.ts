import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../commands/project.js';

const GUIDE = 'specs/how-to/production.md';

/** The commands of a section of the guide, up to the next heading. Those for other machines are not part of it. */
export function commandsOf(section: string): string {
  const text = readFileSync(join(REPOSITORY, GUIDE), 'utf8');
  const [, after] = text.split(new RegExp(`^#+ ${section}\\n`, 'm'));
  const [content = ''] = after?.split(/^#/m) ?? [];
  const blocks = [...content.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
  if (blocks.length === 0) throw new Error(`${GUIDE} has no commands in the section "${section}"`);
  return blocks.join('\n');
}
