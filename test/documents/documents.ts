import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../commands/project.js';

export interface Document {
  path: string;
  text: string;
}

/** A fenced block: its language, the words after it, its text. */
export interface Block {
  /** `specs/how-to/ci.md:12` */
  place: string;
  language: string;
  info: string;
  text: string;
}

const paths = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync(join(REPOSITORY, 'specs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `specs/${name}`),
];
export const documents: readonly Document[] = paths.map((path) => ({
  path,
  text: readFileSync(join(REPOSITORY, path), 'utf8'),
}));

const blocksOf = ({ path, text }: Document): Block[] =>
  [...text.matchAll(/^```(\w*)[ \t]*(.*)\n([^]*?)^```$/gm)].map(
    ({ index, 1: language = '', 2: info = '', 3: content = '' }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length}`,
      language,
      info,
      text: content,
    }),
  );

export const blocks = (...languages: string[]): Block[] =>
  documents.flatMap(blocksOf).filter(({ language }) => languages.includes(language));

export interface Command {
  place: string;
  /** The words after `llm-tool-test`. */
  words: string[];
}

/** The end of a command. */
const END = /^(&&|\|\||;|\||#|>|<\(|\\|\)$)/;

/** Every CLI command in the documents, in blocks, tables and text. */
export const commands: readonly Command[] = documents.flatMap((document) => {
  const { path, text } = document;
  const inBlocks = blocksOf(document)
    .filter(({ language }) => ['sh', 'yaml', 'js', ''].includes(language))
    .flatMap(({ place, text: block }) =>
      block
        .replace(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => ({ place, line })),
    );
  const inline = [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(({ 1: line = '' }) => ({
    place: path,
    line,
  }));
  return [...inBlocks, ...inline].flatMap(({ place, line }) => callsIn(line).map((words) => ({ place, words })));
});

export function callsIn(line: string): string[][] {
  // At the start of a line, after another command, or after `npx` and variables; not in a path or a sentence.
  const CALL =
    /(?:^|[;&|(#]|run:|\bnpx(?: --no)?|\w=\S*|\bdist\/cli\.js)\s*(?<![\w/.-])(?:llm-tool-test(?![\w./-])|(?<=cli\.js))\s+(\S.*)/g;
  return [...line.matchAll(CALL)].map(({ 1: rest = '' }) => {
    const words = rest.trim().split(/\s+/);
    const end = words.findIndex((word) => END.test(word));
    const own = end === -1 ? words : words.slice(0, end);
    return own.map((word) => word.replace(/[;)]+$/, '').replace(/^['"]|['"]$/g, ''));
  });
}
