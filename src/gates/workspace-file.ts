import { assertNever, formatBytes } from '#lib';
import type { FileStat, GateContext, Verdict } from './gate.js';
import { fail, pass, tooSlow } from './verdicts.js';
import type { TextMatcher } from './text-matcher.js';

/** Why there is no file or directory to check. Null if there is one. */
export function statProblem(path: string, look: FileStat): string | null {
  switch (look.kind) {
    case 'file':
    case 'directory':
      return null;
    case 'missing':
      return `${path} does not exist`;
    case 'outside':
      return `${path} leaves the workspace through a symlink`;
    case 'unreadable':
      return `${path} cannot be read: ${look.reason}`;
    default:
      return assertNever(look);
  }
}

/** In bytes. Larger files may not fit into a string or into memory, and an agent must not crash the worker. */
const TEXT_LIMIT = 256 * 1024 * 1024;

/** Judges the text of a file. The words of `wanted` complete "notes.md …" ("contains x"). */
export async function checkFileText(
  { path, timeout_secs }: { path: string; timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> {
  const look = await context.look(path);
  if (look.kind !== 'file') return fail(statProblem(path, look) ?? `${path} is a directory, not a file`);
  if (look.bytes > TEXT_LIMIT)
    return fail(
      `${path} is too large to read: ${formatBytes(look.bytes)}, more than ${formatBytes(TEXT_LIMIT)}`,
    );
  const text = await look.text();
  if (text === null) return fail(`${path} is not UTF-8 text`);
  const found = await wanted.test(text);
  if (found === null) return tooSlow(timeout_secs);
  return found ? pass(`${path} ${wanted.does}`) : fail(`${path} ${wanted.doesNot}`);
}
