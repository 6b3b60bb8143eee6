import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Document,
  type LineCounter,
  type Node,
  type Pair,
} from 'yaml';
import type { Path, Position, Side, Source } from '#input';

/** Converts a YAML document to a source. `value` is its plain value, with aliases resolved. */
export function yamlSource(
  file: string,
  document: Document.Parsed,
  value: unknown,
  lines: LineCounter,
): Source {
  return {
    file,
    value,
    nouns: { map: 'a map', list: 'a list' },
    locate: (path, side) => {
      const node = find(document, path, side);
      return node?.range && !isUnwritten(node) ? positionOf(node.range[0], lines) : null;
    },
    written: (path) => {
      const node = find(document, path, 'value');
      const plain = isAlias(node) ? node.resolve(document) : node;
      return isScalar(plain) && typeof plain.source === 'string' ? plain.source : null;
    },
  };
}

export function positionOf(offset: number, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The path of the innermost map entry or list item that contains `offset`. */
export function pathAt(node: unknown, offset: number): Path {
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => endOf(item) > offset);
    return index < 0 ? [] : [index, ...pathAt(node.items[index], offset)];
  }
  if (!isMap(node)) return [];
  const pair = node.items.find(({ key, value }) => Math.max(endOf(key), endOf(value)) > offset);
  if (pair === undefined || startOf(pair.key) > offset) return [];
  return [keyName(pair), ...(offset < endOf(pair.key) ? [] : pathAt(pair.value, offset))];
}

function find(document: Document.Parsed, path: Path, side: Side): Node | null {
  let node: unknown = document.contents;
  for (const [depth, part] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      // if a key is written twice, the last one counts
      const pair = node.items.findLast((entry) => keyName(entry) === String(part));
      if (pair === undefined) return null;
      node = side === 'key' && depth === path.length - 1 ? pair.key : pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
    } else {
      return null;
    }
  }
  return (node ?? null) as Node | null;
}

/** A collection as a key is shown as `?`: it never names a field, and its text doubles with each level of nesting. */
const keyName = ({ key }: Pair): string =>
  isCollection(key) ? '?' : String(isScalar(key) ? key.value : key);

/** True for the value of a `key:` with nothing after it. */
const isUnwritten = (node: Node): boolean => isScalar(node) && node.value === null && node.source === '';

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);

const endOf = (node: unknown): number => (isNode(node) ? (node.range?.[1] ?? 0) : 0);
