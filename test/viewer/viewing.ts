import { request } from 'node:http';
import type { SweepAnswer } from '../../src/viewer/protocol.js';
import { until, type TestProject } from '../commands/project.js';
import { printed } from '../commands/following.js';

/** A viewer that was started as a process. */
export interface Viewing {
  url: string;
  port: number;
  token: string;
  /** Ends it, as Ctrl-C does. */
  stop(): Promise<void>;
}

/** Starts `view` in a project. */
export async function startViewing(project: TestProject, args: readonly string[] = []): Promise<Viewing> {
  const command = project.start(['view', '--no-open', '--json', ...args]);
  const { stdout } = printed(command);
  const { url, port } = await until('the address is printed', () =>
    stdout().endsWith('}\n') ? (JSON.parse(stdout()) as { url: string; port: number }) : null,
  );
  return {
    url,
    port,
    token: url.split('#token=')[1] ?? '',
    async stop() {
      command.kill('SIGINT');
      const { exitCode, stderr } = await command;
      if (exitCode !== 0) throw new Error(`view ended with ${String(exitCode)}: ${stderr}`);
    },
  };
}

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Asks a viewer, with any headers, for an answer of at most `lines` lines. */
export function ask(
  { port, token }: Viewing,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
    lines = Infinity,
  }: Partial<{
    method: string;
    headers: Record<string, string>;
    body: string;
    lines: number;
  }> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const own = { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}` };
    const asked = request({ host: '127.0.0.1', port, path, method, headers: { ...own, ...headers } }, (answer) => {
      let text = '';
      const end = (): void => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
      answer.setEncoding('utf8').on('data', (data: string) => {
        text += data;
        if (text.split('\n').length <= lines) return;
        end();
        asked.destroy();
      });
      answer.on('end', end);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The first line of a streamed answer. */
export const firstOf = async <T>(viewing: Viewing, path: string): Promise<T> =>
  JSON.parse((await ask(viewing, path, { lines: 1 })).body.split('\n')[0] ?? '') as T;

/** Watches a sweep. `last` returns the newest answer; null if there is none yet. */
export function watchSweep({ port, token }: Viewing, sweep: string): { last(): SweepAnswer | null; stop(): void } {
  let text = '';
  const headers = { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}` };
  const asked = request({ host: '127.0.0.1', port, path: `/api/sweeps/${sweep}`, headers }, (answer) => {
    answer.setEncoding('utf8').on('data', (data: string) => (text += data));
    answer.on('error', () => undefined);
  });
  asked.on('error', () => undefined).end();
  return {
    last() {
      const line = text.split('\n').at(-2);
      return line === undefined ? null : (JSON.parse(line) as SweepAnswer);
    },
    stop: () => void asked.destroy(),
  };
}
