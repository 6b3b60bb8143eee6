import { parseDenoCommand, type DenoCommand } from './deno-command.js';
import { sectionsOf, type Block, type Section } from './sections.js';

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
    summary:
      summary === undefined ? null : { line: summary.line, value: summary.text.replaceAll(/\s*\n\s*/g, ' ') },
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
const isJson = (block: Block | undefined): block is Code =>
  block?.kind === 'code' && block.language === 'json';
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
