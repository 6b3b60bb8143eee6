import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {import('./session-program.js').Request} Request
 * @typedef {import('./session-program.js').FileResult} FileResult
 * @typedef {Awaited<ReturnType<typeof startSession>>} Session
 */

/**
 * Starts a process that runs tests. It has a process group of its own, so that all of it can be killed when a test
 * hangs.
 * @param {'reach' | 'mutants'} kind
 */
export async function startSession(kind) {
  const child = fork(fileURLToPath(new URL('./session-program.js', import.meta.url)), [kind], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (data) => (errors = `${errors}${data}`.slice(-2000)));
  const end = () => {
    process.off('exit', end);
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.on('exit', end);
  const answer = async () => {
    const ended = new AbortController();
    const exit = once(child, 'exit', ended).then(() => {
      throw new Error(`the process that runs the tests has ended:\n${errors}`);
    });
    try {
      const [message] = await Promise.race([once(child, 'message', ended), exit]);
      return message;
    } finally {
      exit.catch(() => undefined);
      ended.abort();
    }
  };
  /** @type {{ files: string[] }} */
  const { files } = await answer();
  return {
    files,
    end,
    /**
     * Returns null if the tests take longer than `limitMs`: the session has ended then.
     * @param {Request} request
     * @param {number} limitMs
     * @returns {Promise<FileResult[] | null>}
     */
    run: async (request, limitMs) => {
      child.send(request);
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs, null)));
      const result = await Promise.race([answer(), late]);
      clearTimeout(timer);
      if (result === null) end();
      return result;
    },
  };
}
