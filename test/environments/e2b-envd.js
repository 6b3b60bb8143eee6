// Runs inside a sandbox of e2b-server.ts: starts processes and transfers files on request, one JSON document per line.
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

const isRoot = process.argv[2] === 'root';
const USER = 1000;
const HOME = '/home/user';
/** @type {Map<number, import('node:child_process').ChildProcessWithoutNullStreams>} */
const processes = new Map();

mkdirSync(HOME, { recursive: true });
if (isRoot) chownSync(HOME, USER, USER);

/** @param {object} message */
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
/** @param {string} user */
const ids = (user) => (isRoot && user !== 'root' ? { uid: USER, gid: USER } : {});

const requests = {
  /** @param {{id: number, cmd: string, args: string[], envs: Record<string, string>, user: string}} request */
  start({ id, cmd, args, envs, user }) {
    const child = spawn(cmd, args, {
      ...ids(user),
      cwd: '/',
      env: {
        PATH: process.env.PATH,
        HOME: user === 'root' ? '/root' : HOME,
        USER: user,
        LOGNAME: user,
        ...envs,
      },
      detached: true,
    });
    const { pid } = child;
    if (pid === undefined) return;
    processes.set(pid, child);
    tell({ id, event: { start: { pid } } });
    child.stdout.on('data', (data) => tell({ id, event: { data: { stdout: data.toString('base64') } } }));
    child.stderr.on('data', (data) => tell({ id, event: { data: { stderr: data.toString('base64') } } }));
    child.stdin.on('error', () => undefined);
    // Not `exit`: as in E2B, a process ends when nothing can write to its output any more.
    child.on('close', (code, signal) => {
      processes.delete(pid);
      const exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
      tell({ id, event: { end: { exitCode, exited: signal === null, status: `exit status ${exitCode}` } } });
    });
  },
  /** @param {{id: number, pid: number, data: string}} request */
  input({ id, pid, data }) {
    const child = processes.get(pid);
    if (child === undefined) tell({ id, missing: true });
    else child.stdin.write(Buffer.from(data, 'base64'), () => tell({ id }));
  },
  /** @param {{id: number, pid: number}} request */
  kill({ id, pid }) {
    tell({ id, missing: processes.get(pid)?.kill('SIGKILL') !== true });
  },
  /** @param {{id: number, path: string, data: string}} request */
  write({ id, path, data }) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(data, 'base64'));
    if (isRoot) chownSync(path, USER, USER);
    tell({ id });
  },
  /** @param {{id: number, path: string}} request */
  read({ id, path }) {
    try {
      tell({ id, data: readFileSync(path).toString('base64') });
    } catch {
      tell({ id, missing: true });
    }
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line);
    requests[/** @type {keyof typeof requests} */ (request.op)](request);
  })
  .on('close', () => process.exit(0));
tell({ id: 0 });
