import MarkdownIt from 'markdown-it';
import { parseDenoCommand, type DenoCommand } from './deno-command.js';

/** A block of a Markdown section. Lines count from 1. */
export type Block =
  | { kind: 'text'; line: number; text: string }
  | { kind: 'code'; line: number; language: string; code: string }
  | { kind: 'table'; line: number; header: string[]; rows: { line: number; cells: string[] }[] };

/** A heading, and the blocks below it up to the next heading of any level. */
export interface Section {
  level: number;
  title: string;
  line: number;
  blocks: Block[];
}

type Table = Extract<Block, { kind: 'table' }>;

/** Splits a Markdown text into sections. Omits the text before the first heading. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  const add = (block: Block): void => void sections.at(-1)?.blocks.push(block);
  let table: Table | null = null;
  let inHeading = false;
  let row: { line: number; cells: string[] } = { line: 0, cells: [] };
  for (const token of new MarkdownIt().parse(text, {})) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (token.type === 'heading_open') {
      inHeading = true;
      sections.push({ level: Number(token.tag.slice(1)), title: '', line, blocks: [] });
    } else if (token.type === 'heading_close') inHeading = false;
    else if (token.type === 'table_open') table = { kind: 'table', line, header: [], rows: [] };
    else if (token.type === 'tr_open') row = { line, cells: [] };
    else if (token.type === 'tr_close' && table !== null) {
      if (table.header.length === 0) table.header = row.cells;
      else table.rows.push(row);
    } else if (token.type === 'table_close' && table !== null) {
      add(table);
      table = null;
    } else if (token.type === 'fence') add({ kind: 'code', line, language: token.info.trim(), code: token.content });
    else if (token.type === 'inline') {
      const last = sections.at(-1);
      if (inHeading && last !== undefined) last.title = token.content.trim();
      else if (table !== null) row.cells.push(token.content.trim());
      else add({ kind: 'text', line, text: token.content });
    }
  }
  return sections;
}

/** The sections of a script's README, in order (specs/reference/agent-scripts.md). */
export const SECTIONS = ['Summary', 'Usage', 'Arguments', 'Output', 'Error Codes', 'Examples'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** A part of a README and its line, counted from 1. */
export interface WithLine<T> {
  line: number;
  value: T;
}

/** An example: a command as written, and the answer that the README shows for it. */
export interface Example {
  line: number;
  command: string;
  /** The JSON block that follows the command's block. Null if there is none. */
  output: WithLine<string> | null;
}

/** The content of a script's README. Missing parts are null or empty, and are reported by `readme-problems.ts`. */
export interface Readme {
  sections: Section[];
  /** One line. */
  summary: WithLine<string> | null;
  usage: WithLine<string> | null;
  arguments: WithLine<{ name: string; required: boolean; description: string }>[];
  codes: WithLine<string>[];
  examples: Example[];
}

/** Parses a README. Never throws. */
export function parseReadme(text: string): Readme {
  const sections = sectionsOf(text);
  const blocks = (name: SectionName): Block[] => sectionNamed(sections, name)?.blocks ?? [];
  const summary = blocks('Summary').find(isText);
  return {
    sections,
    summary: summary === undefined ? null : { line: summary.line, value: summary.text.replaceAll(/\s*\n\s*/g, ' ') },
    usage: blocks('Usage').filter(isCommands).flatMap(commandsIn).find(isDenoRun) ?? null,
    arguments: rowsIn(blocks('Arguments')).map(({ line, cells: [name, required, description] }) => ({
      line,
      value: {
        name: name ?? '',
        required: required?.toLowerCase() === 'yes',
        description: description ?? '',
      },
    })),
    codes: rowsIn(blocks('Error Codes')).map(({ line, cells }) => ({ line, value: cells[0] ?? '' })),
    examples: examplesIn(blocks('Examples')),
  };
}

/** Returns the command in the Usage section, or a message if there is none that can be run. */
export function usageCommand({ usage }: Readme): DenoCommand | string {
  return usage === null
    ? 'the README has no section Usage with a `deno run` command in a code block'
    : parseDenoCommand(usage.value);
}

export const sectionNamed = (sections: readonly Section[], name: SectionName): Section | undefined =>
  sections.find(({ level, title }) => level === 2 && title === name);

const isText = (block: Block): block is Extract<Block, { kind: 'text' }> => block.kind === 'text';
type Code = Extract<Block, { kind: 'code' }>;
export const isCommands = (block: Block): block is Code =>
  block.kind === 'code' && /^(bash|sh|shell|console)?$/.test(block.language);
const isJson = (block: Block | undefined): block is Code => block?.kind === 'code' && block.language === 'json';
const isDenoRun = ({ value }: WithLine<string>): boolean => value.startsWith('deno ');

/** Returns the commands in a code block. Joins continued lines, and omits comments and `cd`. */
export function commandsIn({ line, code }: Code): WithLine<string>[] {
  const commands: WithLine<string>[] = [];
  let open: WithLine<string> | null = null;
  for (const [index, text] of code.split('\n').entries()) {
    const [, part = '', continued] = /^(.*?)(\\)?$/.exec(text.trim()) ?? [];
    const begun: WithLine<string> = open ?? { line: line + 1 + index, value: '' };
    open = { ...begun, value: `${begun.value} ${part.trim()}`.trim() };
    if (continued !== undefined) continue;
    if (open.value !== '' && !/^(#|cd\s)/.test(open.value)) commands.push(open);
    open = null;
  }
  return commands;
}

const unquoted = (cell: string): string => cell.replace(/^`(.*)`$/, '$1');

const rowsIn = (blocks: Block[]): { line: number; cells: string[] }[] =>
  blocks
    .flatMap((block) => (block.kind === 'table' ? block.rows : []))
    .map(({ line, cells }) => ({ line, cells: cells.map(unquoted) }));

/** Returns the commands of the section. A JSON block after a code block is the answer to the block's last command. */
function examplesIn(blocks: Block[]): Example[] {
  return blocks.flatMap((block, index): Example[] => {
    if (!isCommands(block)) return [];
    const next = blocks[index + 1];
    const output = isJson(next) ? { line: next.line, value: next.code } : null;
    const commands = commandsIn(block);
    return commands.map(({ line, value }, at) => ({
      line,
      command: value,
      output: at === commands.length - 1 ? output : null,
    }));
  });
}
