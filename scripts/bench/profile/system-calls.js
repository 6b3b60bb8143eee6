import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The calls in which a process waits rather than works. */
const WAITING = /^(futex|epoll_|e?poll|p?select|wait4|waitid|nanosleep|clock_nanosleep|read|restart_syscall|rt_sig)/;

/**
 * Counts of a system call in a group of processes: calls, those that failed, and the time in them in seconds.
 * @typedef {{calls: number, failed: number, secs: number}} Count
 */

/**
 * Traces a worker, `pids[0]`, its children, and all that they start while `work` runs. Returns null if there is no
 * strace, or if it may not trace.
 * @param {number[]} pids @param {string} file @param {() => Promise<unknown>} work
 */
export async function trace(pids, file, work) {
  const attach = pids.flatMap((pid) => ['-p', String(pid)]);
  const strace = spawn('strace', ['-f', '-qq', '-T', '-s', '200', '-o', file, ...attach], { stdio: 'ignore' });
  const ended = once(strace, 'exit').catch(() => undefined);
  await Promise.race([ended, sleep(1000)]);
  if (strace.exitCode !== null || strace.pid === undefined) return null;
  const threads = new Set(readdirSync(`/proc/${pids[0]}/task`).map(Number));
  try {
    await work();
  } finally {
    strace.kill('SIGINT');
    await ended;
  }
  return existsSync(file) ? readTrace(readFileSync(file, 'utf8'), threads) : null;
}

/**
 * @param {string} text @param {ReadonlySet<number>} threads the threads of the worker before
 */
function readTrace(text, threads) {
  /** @type {{worker: Map<string, Count>, children: Map<string, Count>}} */
  const counts = { worker: new Map(), children: new Map() };
  /** @type {Map<string, number>} */
  const programs = new Map();
  let notFound = 0;
  const own = new Set(threads);
  /** @type {Map<number, string>} */
  const begun = new Map();
  for (const line of text.split('\n')) {
    const [, id = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const thread = Number(id);
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(thread, rest);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const whole = resumed === null ? rest : (begun.get(thread) ?? '').replace(/<unfinished \.\.\.>$/, '') + resumed[1];
    const [, name, args = '', result = '', secs = '0'] =
      /^(\w+)\((.*)\)\s+= (-?\w+|\?).*?(?:<([\d.]+)>)?$/.exec(whole) ?? [];
    if (name === undefined) continue;
    // A new thread shares the memory of the one that made it; a process does not.
    if (own.has(thread) && /^clone/.test(name) && args.includes('CLONE_THREAD')) own.add(Number(result));
    const of = own.has(thread) ? counts.worker : counts.children;
    const count = of.get(name) ?? { calls: 0, failed: 0, secs: 0 };
    of.set(name, count);
    count.calls += 1;
    if (result === '-1') count.failed += 1;
    if (!WAITING.test(name)) count.secs += Number(secs);
    if (name !== 'execve') continue;
    if (result === '-1') notFound += 1;
    else {
      const program = basename(/^"([^"]*)"/.exec(args)?.[1] ?? '?');
      programs.set(program, (programs.get(program) ?? 0) + 1);
    }
  }
  return { ...counts, programs, notFound };
}

/** Returns the processes of a parent. @param {number} pid */
export const childrenOf = (pid) =>
  readdirSync(join('/proc', String(pid), 'task'))
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '))
    .filter((child) => child !== '')
    .map(Number);
