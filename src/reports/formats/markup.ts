import { plainText } from '../../lib/format/plain-text.js';

/** Text with our own tags, in which all other text is escaped. */
export interface Markup {
  readonly markup: string;
}
/** null produces nothing. */
export type Part = string | number | null | Markup | readonly Part[];

/** Template tag for HTML and XML: escapes the inserted values, unless they are markup themselves. */
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
  // In an attribute, these would be read as blanks.
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes text for use between tags and in quotes, and replaces characters that XML 1.0 cannot contain. */
const escaped = (text: string): string =>
  plainText(text)
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character] ?? '');
