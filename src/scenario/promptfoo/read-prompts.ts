import { isMap } from '#lib';
import { fileIn, itemsOf, type Part, type ReadBeside } from './parts.js';
import { promptText } from './templates.js';

/** A prompt of the config, with its variables not filled in. */
export interface Prompt {
  part: Part;
  text: string;
}

/** Lines that divide a text file into prompts. */
const DIVIDER = /^---[ \t]*$/m;

/** The prompts of a config: texts, files of texts, and chats of a system message and one of the user. */
export function readPrompts(part: Part | undefined, read: ReadBeside): Prompt[] {
  return itemsOf(part).flatMap((item): Prompt[] => {
    const written = isMap(item.value) ? (item.value['raw'] ?? item.value['id']) : item.value;
    if (isMap(item.value)) item.left.addOthers(item.value, item.path, ['raw', 'id', 'label']);
    if (typeof written !== 'string') {
      item.left.add(item.path, 'expected a text, or the name of a file');
      return [];
    }
    return textsOf(item, written, read).flatMap((one) => {
      const text = promptText(one);
      if (text.ok) return [{ part: item, text: text.text }];
      item.left.add(item.path, text.reason);
      return [];
    });
  });
}

function textsOf(item: Part, written: string, read: ReadBeside): string[] {
  // A name without file:// is one of a file if there is such a file.
  const named = fileIn(written) ?? (/^[\w./-]+\.\w+$/.test(written) ? written : null);
  if (named === null) return [written];
  if (!/\.(txt|md|json)$/i.test(named)) {
    if (fileIn(written) === null) return [written];
    item.left.add(item.path, `${named}: prompts are read from .txt, .md and .json files`);
    return [];
  }
  const text = read(named);
  if (text === null) {
    if (fileIn(written) === null) return [written];
    item.left.add(item.path, `${named} cannot be read`);
    return [];
  }
  return /\.txt$/i.test(named)
    ? text
        .split(DIVIDER)
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [text];
}
