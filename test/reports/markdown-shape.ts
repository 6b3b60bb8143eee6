/** The lines of a document outside code blocks, and whether a block is left open, by the rules of CommonMark fences. */
export function readMarkdown(text: string): { lines: string[]; open: boolean; blocks: string[] } {
  const lines: string[] = [];
  const blocks: string[] = [];
  let fence: string | null = null;
  let block: string[] = [];
  for (const line of text.split('\n')) {
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null) {
      if (marks?.[1] === undefined || (marks[1].startsWith('`') && marks[2]?.includes('`'))) lines.push(line);
      else [fence, block] = [marks[1], []];
    } else if (marks?.[1]?.startsWith(fence) === true && marks[2]?.trim() === '') {
      blocks.push(block.join('\n'));
      fence = null;
    } else block.push(line);
  }
  return { lines, open: fence !== null, blocks };
}

export const headings = (text: string): string[] => readMarkdown(text).lines.filter((line) => /^ {0,3}#/.test(line));

/** The tables of a document as rows of cells; a cell is null if the two ways to read `\|` disagree. */
export function tables(text: string): (string[] | null)[][] {
  const found: (string[] | null)[][] = [];
  let within = false;
  for (const line of readMarkdown(text).lines) {
    if (line.startsWith('|')) {
      if (!within) found.push([]);
      found.at(-1)?.push(cellsOf(line));
    }
    within = line.startsWith('|');
  }
  return found;
}

function cellsOf(line: string): string[] | null {
  // GitHub skips escape pairs; markdown-it only looks at the character before a pipe.
  const pairs = line.match(/(?:\\[!-/:-@[-`{-~]|[^|])*\|/g) ?? [];
  const before = line.split(/(?<!\\)\|/);
  return pairs.length === before.length - 1 ? before.slice(1, -1).map((cell) => cell.trim()) : null;
}
