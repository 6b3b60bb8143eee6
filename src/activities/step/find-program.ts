import { sharesHost } from '#environments';
import { findExecutable } from '#host';
import { shellWord } from '#lib';
import type { RunContext } from './run-context.js';

const FIND_SECS = 20;

/** Finds the program that a name refers to in the run; null if there is none. `path`: the PATH to search. */
export async function findProgram(
  { environment, handle }: Pick<RunContext, 'environment' | 'handle'>,
  name: string,
  path: string,
): Promise<string | null> {
  if (sharesHost(handle)) return findExecutable(name, path);
  // Not `command -v`: busybox's shell answers with its own applets for most names.
  const command = name.includes('/')
    ? `[ -f ${shellWord(name)} ] && [ -x ${shellWord(name)} ] && readlink -f ${shellWord(name)}`
    : `IFS=:; for folder in $PATH; do
         program=$folder/${shellWord(name)}
         [ -f "$program" ] && [ -x "$program" ] && exec readlink -f "$program"
       done; exit 1`;
  const { exitCode, stdout } = await environment.exec(handle, {
    command,
    env: { PATH: path },
    timeoutSecs: FIND_SECS,
  });
  return exitCode === 0 ? stdout.trim() : null;
}
