import { Composer, Parser } from 'yaml';
import { parseJson } from '#lib';
import { findDeepNesting } from './yaml-syntax.js';

/** The values in a text, as far as they can be read. */
export interface Documents {
  /** One for each document; null for an empty one, undefined for one that cannot be read. */
  values: unknown[];
  /** True if the text breaks the rules of its format, so that the values are what was understood of it. */
  isBroken: boolean;
}

/** More than in any file that people write; fewer than take long to expand. */
const MAX_ALIAS_COUNT = 1000;

/**
 * Reads the documents of a YAML or JSON text that may have been written for another program: with tags, merge keys,
 * several documents, or comments in JSON. Never throws.
 */
export function readDocuments(file: string, raw: string): Documents {
  const text = raw.replace(/^\uFEFF/, '');
  if (/\.json$/i.test(file)) {
    const value = parseJson(text) ?? parseJson(withoutComments(text));
    if (value !== undefined) return { values: [value], isBroken: false };
  }
  const tokens = [...new Parser().parse(text)];
  if (findDeepNesting(tokens) !== null) return { values: [], isBroken: true };
  const composer = new Composer({ prettyErrors: false, merge: true, uniqueKeys: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, text.length)];
  return {
    values: documents.map((document): unknown => {
      try {
        return document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }) as unknown;
      } catch {
        return undefined;
      }
    }),
    isBroken: documents.some(({ errors }) => errors.length > 0),
  };
}

/** JSON without the comments and trailing commas that editors allow in it. */
const withoutComments = (text: string): string =>
  text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, string?: string) => string ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? '');
