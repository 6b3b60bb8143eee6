/** An element of XML or HTML; strings are its text, with references resolved. */
export interface Element {
  tag: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

/** The characters that XML 1.0 allows. */
const LEGAL = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const REFERENCES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const VOID = new Set(['meta', 'input']);

/**
 * Reads strict XML or HTML: every tag closed except for the void ones of HTML, every value in double quotes, `<` and
 * `&` only in tags and known references. @throws for anything else
 */
export function readTags(text: string): Element {
  if (!LEGAL.test(text)) throw new Error('a character that XML cannot hold');
  const root: Element = { tag: '', attributes: {}, children: [] };
  const open = [root];
  const body = text.replace(/^(<\?xml version="1\.0" encoding="UTF-8"\?>|<!doctype html>)\n/, '');
  for (const [token, tag, end, name, attributes = '', self] of body.matchAll(
    /(<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z:-]+(?:="[^"<]*")?)*)(\/?)>)|[^<]+|</g,
  )) {
    const parent = open.at(-1) ?? root;
    if (token === '<') throw new Error(`a < that begins no tag: ${body.slice(0, 60)}`);
    if (tag === undefined || name === undefined) parent.children.push(resolve(token));
    else if (end === '/') {
      if (open.pop()?.tag !== name || open.length === 0) throw new Error(`</${name}> closes nothing`);
    } else {
      const element: Element = { tag: name, attributes: read(attributes), children: [] };
      parent.children.push(element);
      if (self !== '/' && !VOID.has(name)) open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)?.tag ?? ''}> is open`);
  const [only, ...others] = root.children.filter((child) => typeof child !== 'string');
  if (only === undefined || others.length > 0) throw new Error('not one element');
  return only;
}

function read(attributes: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z:-]+)(?:="([^"]*)")?/g)) {
    if (name in found) throw new Error(`${name} twice`);
    found[name] = resolve(value);
  }
  return found;
}

const resolve = (text: string): string =>
  text.replace(/&([^;]*;?)/g, (_, reference: string) => {
    const [, number] = /^#(\d+);$/.exec(reference) ?? [];
    const found = number === undefined ? REFERENCES[reference.slice(0, -1)] : String.fromCodePoint(+number);
    if (found === undefined || !reference.endsWith(';')) throw new Error(`unknown &${reference}`);
    return found;
  });

/** All elements with this name, in document order. */
export const all = (element: Element, tag: string): Element[] =>
  element.children.flatMap((child) =>
    typeof child === 'string' ? [] : [...(child.tag === tag ? [child] : []), ...all(child, tag)],
  );

export const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

/** The tags and the names of attributes, which no text from outside may change. */
export const shapeOf = ({ tag, attributes, children }: Element): unknown => [
  tag,
  Object.keys(attributes),
  children.flatMap((child) => (typeof child === 'string' ? [] : [shapeOf(child)])),
];
