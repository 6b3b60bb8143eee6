import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { flameGraph } from './profile/flame-graph.js';
import { readProfile, sums } from './profile/read-profile.js';
import { childrenOf, trace } from './profile/system-calls.js';
import { cpuOf, createProject } from './project.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 100);
const LINES = 25;
const { EventType } = proto.temporal.api.enums.v1;
const { HistoryEvent } = proto.temporal.api.history.v1;

/**
 * Says where the CPU of a cell goes: an agent that is a shell, and a gate that is a command. The system's counters tell
 * server, worker and children apart, and the threads of the worker. Then its JavaScript is sampled, and then its system
 * calls are traced, which makes everything slower. Writes tables and flame graphs into BENCH_OUT, by default a folder
 * `profile`.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function profile() {
  const out = process.env['BENCH_OUT'] ?? 'profile';
  mkdirSync(out, { recursive: true });
  const preload = fileURLToPath(new URL('./profile/preload.js', import.meta.url));
  const project = createProject({ env: { NODE_OPTIONS: `--import ${preload}`, PROFILE_FOLDER: out } });
  try {
    const cells = () => project.run('run', 'command', '--agents', 'shell', '--repeat', String(CELLS), '--json');
    await cells(); // warm up
    const { server, worker, address } = await project.status();
    /** @type {string[]} */
    const page = [];
    const table = (/** @type {string} */ title, /** @type {(readonly (string | number)[])[]} */ rows) => {
      page.push(`\n## ${title}\n`);
      for (const row of rows)
        page.push(row.map((cell) => (typeof cell === 'number' ? cell.toFixed(2).padStart(9) : cell)).join('  '));
    };
    const each = (/** @type {number} */ secs) => (secs * 1000) / CELLS;

    const before = { server: cpuOf(server.pid), worker: cpuOf(worker.pid), threads: threadsOf(worker.pid) };
    await cells();
    const after = { server: cpuOf(server.pid), worker: cpuOf(worker.pid), threads: threadsOf(worker.pid) };
    const shares = [
      ['server', each(after.server.own - before.server.own)],
      ['worker', each(after.worker.own - before.worker.own)],
      ['children', each(after.worker.children - before.worker.children)],
    ].map(([name, ms]) => /** @type {const} */ ([Number(ms), String(name)]));
    table(`CPU of a cell, ms (${CELLS} cells)`, shares);
    const threads = [...after.threads].map(([thread, { name, secs }]) => {
      const ms = each(secs - (before.threads.get(thread)?.secs ?? 0));
      return /** @type {const} */ ([ms, name]);
    });
    const ended = Number(shares[1]?.[0]) - threads.reduce((sum, [ms]) => sum + ms, 0);
    table(
      'of the worker, by threads, ms',
      byFirst([...threads, [ended, 'that have ended']]).filter(([ms]) => Number(ms) >= 0.1),
    );

    process.kill(worker.pid, 'SIGURG');
    await cells();
    process.kill(worker.pid, 'SIGURG');
    const files = await untilWritten(out);
    for (const name of files) {
      const root = readProfile(join(out, name));
      const ms = (/** @type {[string, number][]} */ found) => found.map(([of, sum]) => [sum / CELLS, of]);
      if (root.total / CELLS < 0.1) continue;
      table(`${name}: ms by part`, ms(sums(root, ({ part }) => part, { inside: false })).slice(0, LINES));
      table(`${name}: ms in functions alone`, ms(sums(root, (frame) => frame.name, { inside: false })).slice(0, LINES));
      const ours = (/** @type {import('./profile/read-profile.js').Frame} */ { part, name }) =>
        part.startsWith('src/') ? name : null;
      table(
        `${name}: ms in our functions and all that they call`,
        ms(sums(root, ours, { inside: true })).slice(0, LINES),
      );
      writeFileSync(join(out, name.replace('.cpuprofile', '.svg')), flameGraph(`${name}, ${CELLS} cells`, root, CELLS));
    }

    const traced = await trace([worker.pid, ...childrenOf(worker.pid)], join(out, 'strace.log'), cells);
    if (traced === null) page.push('\nSystem calls: there is no strace, or it may not trace.');
    else {
      for (const { of, counts } of [
        { of: 'the worker', counts: traced.worker },
        { of: 'its children', counts: traced.children },
      ])
        table(
          `system calls of ${of} for each cell: ms in them (but waiting), calls, failed`,
          byFirst(
            [...counts].map(([name, { calls, failed, secs }]) => [each(secs), calls / CELLS, failed / CELLS, name]),
          ),
        );
      table('programs started for each cell', [
        ...byFirst([...traced.programs].map(([name, count]) => [count / CELLS, name])),
        [traced.notFound / CELLS, '(looked for in vain)'],
      ]);
    }
    table('a run: events of its history, bytes', await eventsOf(address));
    writeFileSync(join(out, 'profile.txt'), `${page.join('\n').trim()}\n`);
    return [
      ...shares.map(([ms, name]) => ({ what: `CPU of a cell: ${name}`, value: `${ms.toFixed(1)} ms` })),
      { what: 'tables and flame graphs', value: `${out}/profile.txt, ${out}/*.svg` },
    ];
  } finally {
    await project.remove();
  }
}

/** @template {readonly (string | number)[]} R @param {R[]} rows */
const byFirst = (rows) => rows.sort((a, b) => Number(b[0]) - Number(a[0])).slice(0, LINES);

/** Returns the CPU seconds of the threads of a process that live, by id. @param {number} pid */
function threadsOf(pid) {
  /** @type {Map<string, {name: string, secs: number}>} */
  const found = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const name = Number(thread) === pid ? 'main' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    found.set(thread, { name, secs: (user + system) / 100 });
  }
  return found;
}

/** Waits for the profiles, which each thread writes by itself. @param {string} folder */
async function untilWritten(folder) {
  const profiles = () => readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  for (let found = -1; found !== profiles().length; await sleep(3000)) found = profiles().length;
  return profiles();
}

/** Counts the events in the history of a run, and their bytes. @param {string} address */
async function eventsOf(address) {
  const client = new Client({ connection: await Connection.connect({ address }) });
  try {
    const runs = client.workflow.list({ query: 'WorkflowType = "runScenario"', pageSize: 1 })[Symbol.asyncIterator]();
    const { workflowId } = (await runs.next()).value;
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    /** @type {Map<string, {count: number, bytes: number}>} */
    const found = new Map();
    for (const event of events ?? []) {
      const name = EventType[event.eventType ?? 0] ?? '?';
      const known = found.get(name) ?? { count: 0, bytes: 0 };
      found.set(name, { count: known.count + 1, bytes: known.bytes + HistoryEvent.encode(event).finish().length });
    }
    return byFirst([...found].map(([name, { count, bytes }]) => [count, bytes, name]));
  } finally {
    await client.connection.close();
  }
}
