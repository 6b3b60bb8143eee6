import { sharesHost } from '#environments';
import { findExecutable } from '#host';
import { shellWord } from '#lib';
import type { RunPlaces } from '../run/context.js';

const FIND_SECS = 20;
/** A busy machine may need longer than that to begin a command in a container. */
const TRIES = 3;

/**
 * Finds the program that a name refers to in the run; null if there is none. `path`: the PATH to search.
 * @throws Error, after which the step is tried again, if nothing says whether there is one
 */
export async function findProgram(
  { environment, handle }: Pick<RunPlaces, 'environment' | 'handle'>,
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
  for (let nth = 0; nth < TRIES; nth += 1) {
    const { exitCode, timedOut, stdout } = await environment.exec(handle, {
      command,
      env: { PATH: path },
      timeoutSecs: FIND_SECS,
    });
    if (!timedOut) return exitCode === 0 ? stdout.trim() : null;
  }
  throw new Error(
    `it took longer than ${FIND_SECS} s, ${TRIES} times, to look for ${name} in its environment (${handle.type})`,
  );
}
