import { parseEnv } from 'node:util';

/** The contents of a file of environment variables, or its first problem, which quotes nothing: lines hold secrets. */
export type EnvFile =
  { ok: true; values: NodeJS.Dict<string> } | { ok: false; /** From 1. */ line: number; problem: string };

/**
 * Parses a file of `NAME=VALUE` lines. Node's parser skips what it does not understand, so a damaged file would set
 * fewer variables; here that is a problem.
 */
export function parseEnvFile(text: string): EnvFile {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const problem = problemIn(clean);
  return problem === null ? { ok: true, values: parseEnv(clean) } : { ok: false, ...problem };
}

// Node's parser would take a tab, or a second space after `export`, as part of the name.
const ASSIGNMENT = /^ *(?:export )?[A-Za-z_][\w.-]* *= */;
const IGNORED = /^[ \t]*(?:#.*)?$/;

function problemIn(text: string): { line: number; problem: string } | null {
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (IGNORED.test(line)) continue;
    const at = (problem: string, lineIndex = index) => ({ line: lineIndex + 1, problem });
    if (line.includes('\0')) return at('contains a NUL byte');
    const [assignment] = ASSIGNMENT.exec(line) ?? [];
    if (assignment === undefined) return at('expected NAME=VALUE');
    const value = line.slice(assignment.length);
    const quote = value[0] ?? '';
    if (!['"', "'", '`'].includes(quote)) continue;
    const begin = index;
    let rest = value.slice(1);
    while (!rest.includes(quote)) {
      index += 1;
      const next = lines[index];
      if (next === undefined) return at(`the value has no closing ${quote}`, begin);
      rest = next;
    }
    if (!IGNORED.test(rest.slice(rest.indexOf(quote) + 1))) return at(`expected nothing after the closing ${quote}`);
  }
  return null;
}
