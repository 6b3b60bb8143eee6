import { LineCounter, Parser } from 'yaml';
import type { z } from 'zod';
import { check, formatPath, inTextOrder, type Loaded, type Source } from '#input';
import type { Problem } from '#lib';
import {
  composeDocument,
  explainYamlError,
  findDeepNesting,
  findUnsafeNodes,
  firstAlias,
  type SyntaxFinding,
} from './yaml-syntax.js';
import { pathAt, positionOf, yamlSource } from './yaml-source.js';

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
    broken.push({ file, line: 1, column: 1, path: '', message: 'the file is empty; expected a map' });
    return { source: null, problems: inTextOrder(broken) };
  }

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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
