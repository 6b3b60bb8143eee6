import { fillVariables } from '../fill-variables.js';
import { CannotSetUp } from '../cannot-set-up.js';
import { loadModule } from '../load-module.js';
import type { Json } from '../../lib/json.js';
import type { Turn } from '../turn.js';
import type { Character } from './core.js';

/** The values of a character that does not set them. */
const NAMELESS: Character = { name: 'Assistant', bio: 'An assistant.' };

/** The character of a scenario that has none: an agent that ignores messages could not be tested. */
const NOBODY = { system: 'Answer every message, even if it is unclear.' };

/** Returns the character, with the text before the conversation in its system prompt. @throws CannotSetUp */
export async function loadCharacter({ request, variables }: Turn): Promise<Character> {
  const { setup, folder, system } = request;
  const written = setup?.character ?? NOBODY;
  const loaded = typeof written === 'string' ? await characterIn(folder, written) : written;
  const character: Character = { ...NAMELESS, ...loaded };
  for (const key of ['settings', 'secrets'])
    if (character[key] !== undefined) character[key] = fillVariables(character[key] as Json, variables);
  const before = [character.system, system].filter((text) => text != null && text !== '').join('\n\n');
  return before === '' ? character : { ...character, system: before };
}

/** The character that a module exports: as default, or under the name `character`. */
async function characterIn(folder: string, path: string): Promise<object> {
  const loaded = await loadModule(folder, path);
  const found = [loaded['character'], loaded['default']].find(
    (value) => typeof value === 'object' && value !== null && 'name' in value,
  );
  if (found === undefined)
    throw new CannotSetUp(
      `${path} exports no character; export one as default, or under the name 'character'`,
    );
  return found;
}
