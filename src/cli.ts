#!/usr/bin/env -S node --
import { realpathSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs the command that the arguments name, and returns its exit code. */
export const runCommandLine = async (args: readonly string[]): Promise<number> =>
  (await import('./command-line.js')).runCommandLine(args);

/** The part of `node:module` that Node 20 lacks. */
interface CompileCache {
  enableCompileCache?: (folder: string) => unknown;
}

/**
 * Lets Node keep the compiled code of what is loaded from now on, in our cache if there is one. Whoever else could
 * write there could make us run other code.
 */
function keepCompiledCode(): void {
  const cache = process.env['LLM_TOOL_TEST_CACHE'] || join(homedir(), '.cache', 'llm-tool-test');
  const stat = statSync(cache, { throwIfNoEntry: false });
  if (stat?.uid === process.getuid?.() && ((stat?.mode ?? 0) & 0o022) === 0)
    (module as CompileCache).enableCompileCache?.(join(cache, 'compiled'));
}

const [, started = '', ...args] = process.argv;
// Only if this file was started, and not if a test imports it. npm starts it through a link.
if (started !== '' && realpathSync(started) === fileURLToPath(import.meta.url)) {
  keepCompiledCode();
  const { runProgram } = await import('./command-line.js');
  await runProgram(args);
}
