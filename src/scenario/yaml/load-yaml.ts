import { Rubric } from '#gates';
import { check, formatPath, inTextOrder, type Loaded, type Path, type Position, type Side, type Source } from '#input';
import { fileProblem, messageOf, type Problem } from '#lib';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
} from 'yaml';
import type { z } from 'zod';
import {
  composeDocument,
  explainYamlError,
  findDeepNesting,
  findUnsafeNodes,
  firstAlias,
  type SyntaxFinding,
} from './yaml-syntax.js';

/** Converts a YAML document to a source. `value` is its plain value, with aliases resolved. */
function yamlSource(file: string, document: Document.Parsed, value: unknown, lines: LineCounter): Source {
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

function positionOf(offset: number, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The path of the innermost map entry or list item that contains `offset`. */
function pathAt(node: unknown, offset: number): Path {
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
      // If a key is written twice, the last one counts.
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
const keyName = ({ key }: Pair): string => (isCollection(key) ? '?' : String(isScalar(key) ? key.value : key));

/** True for the value of a `key:` with nothing after it. */
const isUnwritten = (node: Node): boolean => isScalar(node) && node.value === null && node.source === '';

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);

const endOf = (node: unknown): number => (isNode(node) ? (node.range?.[1] ?? 0) : 0);

/** Enough for files that people write, and low enough to stop a "billion laughs" attack. */
const MAX_ALIAS_COUNT = 100;

/** Parses YAML and checks it against a zod schema. Never throws: every error is a problem with line and column. */
export function loadYaml<S extends z.ZodType>(schema: S, file: string, raw: string): Loaded<z.output<S>> {
  const { source, problems } = parseYaml(file, raw);
  if (source === null) return { ok: false, problems };
  const loaded = check(schema, source);
  if (problems.length === 0) return loaded;
  return { ok: false, problems: inTextOrder([...problems, ...(loaded.ok ? [] : loaded.problems)]) };
}

/** A YAML text. `source` is null if its errors make the rest unusable. */
interface ParsedYaml {
  source: Source | null;
  problems: Problem[];
}

/** Parses YAML. Never throws: every error is a problem with line and column. */
export function parseYaml(file: string, raw: string): ParsedYaml {
  const text = raw.replace(/^\uFEFF/, '');
  const lines = lineCounter(text);
  const tokens = [...new Parser().parse(text)];
  const deep = findDeepNesting(tokens);
  const document = composeDocument(deep === null ? tokens : [], deep === null ? text.length : 0);
  const problemAt = ({ offset, message, lost = false }: SyntaxFinding): Problem => ({
    file,
    ...positionOf(offset, lines),
    path: lost ? '' : formatPath(pathAt(document.contents, offset)),
    message,
  });

  if (deep !== null) return { source: null, problems: [problemAt(deep)] };
  const syntax = [
    ...[...document.errors, ...document.warnings].map((error) => explainYamlError(error, text)),
    ...findUnsafeNodes(document),
  ];
  const broken: Problem[] = syntax.map(problemAt);
  if (syntax.some(({ soft }) => !soft)) return { source: null, problems: inTextOrder(broken) };
  if (document.contents === null || text.trim() === '') {
    broken.push(fileProblem(file, 'the file is empty; expected a map'));
    return { source: null, problems: inTextOrder(broken) };
  }

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
  } catch (error) {
    const reason = messageOf(error);
    const message = /^Excessive alias count/.test(reason)
      ? `more than ${MAX_ALIAS_COUNT} uses of aliases, nested ones multiplied; write the values out`
      : `cannot expand the aliases: ${reason}`;
    return { source: null, problems: [problemAt({ offset: firstAlias(document), message, soft: false })] };
  }
  return { source: yamlSource(file, document, value, lines), problems: broken };
}

/** Counts lines here rather than in the parser, which is not given a text that nests too deeply. */
function lineCounter(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

/** Reads a rubric file. */
export const loadRubric = (file: string, text: string): Loaded<Rubric> => loadYaml(Rubric, file, text);
