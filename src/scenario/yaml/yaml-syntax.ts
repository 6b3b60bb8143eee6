import {
  Composer,
  isAlias,
  isNode,
  isPair,
  isScalar,
  visit,
  YAMLParseError,
  type CST,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';
import { quote } from '#input';

/** A syntax error at an offset in the text. `soft` means that the value can still be read. */
export interface SyntaxFinding {
  offset: number;
  message: string;
  soft: boolean;
  /** The structure is broken here, so it is unknown which key the error belongs to. */
  lost?: boolean;
}

const MAX_DEPTH = 100;

/**
 * Finds where the text nests too deeply to be composed. Returns null if it does not. The composer is recursive, and V8
 * aborts the whole process (uncatchably) if the stack overflows inside a regular expression. The token parser is not
 * recursive.
 */
export function findDeepNesting(tokens: readonly CST.Token[]): SyntaxFinding | null {
  const open: { token: unknown; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const token = at.token as {
      offset?: number;
      value?: unknown;
      items?: { key?: unknown; value?: unknown }[];
    } | null;
    if (token === null || typeof token !== 'object') continue;
    if (at.depth > MAX_DEPTH) {
      return { offset: token.offset ?? 0, message: `nested more than ${MAX_DEPTH} levels deep`, soft: false };
    }
    if (token.items === undefined) open.push({ token: token.value, depth: at.depth });
    for (const { key, value } of token.items ?? []) {
      open.push({ token: key, depth: at.depth + 1 }, { token: value, depth: at.depth + 1 });
    }
  }
  return null;
}

/** Composes a document from the tokens of a text. yaml's `parseDocument` would tokenize the text a second time. */
export function composeDocument(tokens: readonly CST.Token[], end: number): Document.Parsed {
  const composer = new Composer({
    prettyErrors: false,
    stringKeys: true,
    // Otherwise !!set, !!omap and !!timestamp give values that are not JSON.
    resolveKnownTags: false,
  });
  const [document, second] = composer.compose(tokens, true, end);
  if (document === undefined) throw new Error('the composer gives a document for any text');
  if (second !== undefined)
    document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
  return document;
}

type Explanation = Omit<SyntaxFinding, 'offset'>;

const COLON: Explanation = {
  message: "a text with ': ' in it must be in quotes, and a map must begin on a line of its own",
  soft: false,
  lost: true,
};

const explanations: Partial<Record<YAMLError['code'], (message: string, rest: string) => Explanation>> = {
  TAB_AS_INDENT: () => ({ message: 'a tab cannot indent YAML; use spaces', soft: false }),
  DUPLICATE_KEY: (_message, rest) => {
    const key = /^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s:]+)/.exec(rest)?.[0] ?? '';
    return { message: `key ${quote(key)} is already in this map; keep one`, soft: true };
  },
  MULTIPLE_DOCS: () => ({
    message: 'a second document begins here; expected one document per file',
    soft: true,
  }),
  NON_STRING_KEY: () => ({ message: 'expected a plain string as the key', soft: false, lost: true }),
  TAG_RESOLVE_FAILED: (message) => ({ message: `${message}; remove the tag`, soft: true }),
  BAD_INDENT: (message) => {
    const end = /^Flow .* end with a ([}\]])$/.exec(message)?.[1];
    return {
      message:
        end === undefined
          ? 'inconsistent indentation; align this line with the others of its block'
          : `${end === '}' ? 'a { is' : 'a [ is'} not closed; expected ${end} before this line`,
      soft: false,
      lost: true,
    };
  },
  BLOCK_AS_IMPLICIT_KEY: () => COLON,
  MULTILINE_IMPLICIT_KEY: () => COLON,
  BAD_SCALAR_START: (_message, rest) => ({
    message: `a text cannot begin with ${rest.slice(0, 1)}; put it in quotes`,
    soft: false,
  }),
  BAD_DQ_ESCAPE: (message) => ({
    message: `${message}; a \\ starts an escape in double quotes; use single quotes for a literal \\`,
    soft: false,
  }),
};

/** Rewrites a message of the YAML library to say what to fix. */
export function explainYamlError({ code, message, pos: [offset] }: YAMLError, text: string): SyntaxFinding {
  const explained = explanations[code]?.(message, text.slice(offset, offset + 100));
  return { offset, ...(explained ?? { message: `invalid YAML: ${message}`, soft: false, lost: true }) };
}

/** Finds aliases and keys that parse, but cannot be converted to a plain value. */
export function findUnsafeNodes(document: Document.Parsed): SyntaxFinding[] {
  const anchors = new Map<string, unknown>();
  const findings: SyntaxFinding[] = [];
  const report = (node: Node, message: string): void => {
    findings.push({ offset: node.range?.[0] ?? 0, message, soft: false });
  };
  visit(document, (_key, node, ancestors) => {
    if (isAlias(node)) {
      if (!anchors.has(node.source))
        report(
          node,
          `unknown alias '*${node.source}'; define '&${node.source}' before it, or put a text that begins with * in quotes`,
        );
      else if (ancestors.includes(anchors.get(node.source) as Node))
        report(node, `alias '*${node.source}' contains itself`);
    } else if (isPair(node)) {
      if (isScalar(node.key) && node.key.value === '__proto__')
        report(node.key as Node, `the key '__proto__' is not allowed`);
      if (isScalar(node.key) && node.key.value === '<<' && node.key.type === 'PLAIN')
        report(node.key as Node, 'merge keys (<<) are not supported; write the keys out');
    } else if (isNode(node) && node.anchor !== undefined) {
      anchors.set(node.anchor, node);
    }
  });
  return findings;
}

/** The offset of the first alias, where an excessive expansion of aliases is reported. */
export function firstAlias(document: Document.Parsed): number {
  let offset = 0;
  visit(document, {
    Alias: (_key, node) => {
      offset = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}
