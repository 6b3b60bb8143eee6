import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { readmeOf, REPOSITORY } from './readme.js';

/** Finds the Deno of this repository, and uses no proxy for the servers of tests. */
export const env = {
  PATH: `${join(REPOSITORY, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  NO_PROXY: '127.0.0.1',
};

interface Answer {
  exitCode: number | undefined;
  stderr: string;
  document: { success: boolean; data?: unknown; error?: string; code?: string };
}

/** A temporary project with the `.agents` of this repository, in which scripts run and files can be written. */
export interface PrivateCopy {
  folder: string;
  write: (path: string, content: string) => Promise<void>;
  /** Runs the command in the README of the script, with these words as its arguments. */
  script: (name: string, ...words: string[]) => Promise<Answer>;
  /** Runs a complete command, as in an example. */
  command: (line: string, words?: string[]) => Promise<Answer>;
}

/** Creates a copy, optionally with the files and the service that the examples of a script need. */
export async function privateCopy(example?: string): Promise<PrivateCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-agents-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const part of ['lib', 'scripts'])
    await cp(join(REPOSITORY, '.agents', part), join(folder, '.agents', part), { recursive: true });
  if (example !== undefined) await layOver(folder, example);

  const command = async (line: string, words: string[] = []): Promise<Answer> => {
    const { exitCode, stdout, stderr } = await execa('sh', ['-c', `${line} "$@"`, 'sh', ...words], {
      cwd: folder,
      env,
      reject: false,
      stdin: 'ignore',
      maxBuffer: 1e9,
    });
    expect(stdout, `${line} ${words.join(' ')}\n${stderr}`).toMatch(/^\{.*\}$/);
    const document = JSON.parse(stdout) as Answer['document'];
    expect(exitCode).toBe(document.success ? 0 : 1);
    const keys = document.success ? ['success', 'data'] : ['success', 'error', 'code'];
    expect(Object.keys(document)).toEqual(keys);
    return { exitCode, stderr, document };
  };

  return {
    folder,
    command,
    script: (name, ...words) => command(readmeOf(name).command, words),
    write: async (path, content) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
  };
}

async function layOver(folder: string, name: string): Promise<void> {
  const example = join(REPOSITORY, '.agents/scripts', name, 'example');
  if (existsSync(example)) await cp(example, folder, { recursive: true });
  if (existsSync(join(folder, 'serve.ts'))) await serve(folder);
}

async function serve(folder: string): Promise<void> {
  const permissions = ['--allow-net=127.0.0.1', '--allow-write=.agents/config.json', '--allow-read=.'];
  const service = spawn('deno', ['run', ...permissions, 'serve.ts'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    service.kill();
    if (service.exitCode === null && service.signalCode === null) await once(service, 'exit');
  });
  await once(createInterface(service.stdout), 'line');
}
