import { plainText } from '../../lib/format/plain-text.js';

/** Text with tags of ours, in which all other text is escaped. */
export interface Markup {
  readonly markup: string;
}
/** null is left out. */
export type Part = string | number | null | Markup | readonly Part[];

/** HTML or XML: what is put in is escaped, unless it is markup itself. */
export function markup(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: texts.map((text, at) => `${text}${written(parts[at] ?? null)}`).join('') };
}

function written(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // In an attribute they would become blanks.
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Text that any place between tags or in quotes takes, and that XML 1.0 can hold at all. */
const escaped = (text: string): string =>
  plainText(text)
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character] ?? '');
