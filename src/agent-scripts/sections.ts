import MarkdownIt from 'markdown-it';

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
export function sectionsOf(text: string): Section[] {
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
    } else if (token.type === 'fence')
      add({ kind: 'code', line, language: token.info.trim(), code: token.content });
    else if (token.type === 'inline') {
      const last = sections.at(-1);
      if (inHeading && last !== undefined) last.title = token.content.trim();
      else if (table !== null) row.cells.push(token.content.trim());
      else add({ kind: 'text', line, text: token.content });
    }
  }
  return sections;
}
