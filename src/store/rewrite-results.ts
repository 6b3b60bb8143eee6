import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { linesOf, temporaryName } from '#host';
import { addPathToFullDiskError } from '#lib';

const CHUNK = 1024 * 1024;

/**
 * Replaces results.jsonl with a file without some of its lines; all other lines stay unchanged. Only for a caller that
 * has announced a `clean`. Calls `decide` for each line, numbered from 1; 'stop' leaves the file as it is. Returns the
 * number of bytes removed, or null after 'stop'.
 */
export async function rewriteResults(
  path: string,
  decide: (line: number, text: string) => 'keep' | 'drop' | 'stop',
): Promise<number | null> {
  const kept: { from: number; to: number }[] = [];
  let line = 0;
  let begin = 0;
  for (const { text, end } of linesOf(path, Infinity)) {
    line += 1;
    const decision = decide(line, text);
    if (decision === 'stop') return null;
    const last = kept.at(-1);
    if (decision === 'keep' && last?.to === begin) last.to = end;
    else if (decision === 'keep') kept.push({ from: begin, to: end });
    begin = end;
  }
  const size = kept.reduce((sum, { from, to }) => sum + to - from, 0);
  if (size === begin) return 0;
  const temporary = temporaryName(path);
  const source = await open(path, 'r');
  try {
    const target = await open(temporary, 'wx', (await source.stat()).mode & 0o777);
    try {
      for (const { from, to } of kept) await copyRange(source, target, from, to);
      await target.datasync();
    } finally {
      await target.close();
    }
    await rename(temporary, path);
  } catch (error) {
    throw addPathToFullDiskError(error, path);
  } finally {
    await source.close();
    await rm(temporary, { force: true });
  }
  return begin - size;
}

async function copyRange(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK, to - from));
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, to - at), at);
    if (bytesRead === 0) throw new Error('results.jsonl was shortened while it was read');
    await target.writeFile(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}
