#!/usr/bin/env node
// Stands in for a coding agent in the images of the viewer. It reads its task, works on the stock with real commands,
// and prints events as a real agent does. `fast` overlooks what a guide in AGENTS.md would have told it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [model = 'fast', task = ''] = process.argv.slice(2);
const pauseMs = Number(process.env['CLERK_PAUSE_MS'] ?? 50);
const isGuided = readFileSync('AGENTS.md', 'utf8').includes('not in the parcel');
// So that repetitions differ, and the same repetition always does the same.
const isLucky = Buffer.from(process.cwd()).reduce((sum, byte) => (sum * 31 + byte) % 9973, 7) % 3 === 0;
const isCareful = model === 'strong' || isGuided || isLucky;

let calls = 0;
/** @param {object} event */
const emit = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
/** @param {string} text */
const say = async (text) => {
  emit({ type: 'message', role: 'assistant', text });
  await sleep(pauseMs);
};
/** @param {string} text */
const think = (text) => emit({ type: 'reasoning', text });
/** @param {string} command */
const run = async (command) => {
  const id = `call-${++calls}`;
  emit({ type: 'tool_call', id, name: 'shell', input: { command }, command });
  await sleep(pauseMs);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  emit({
    type: 'tool_result',
    id,
    exit_code: status,
    is_error: status !== 0,
    output: `${stdout}${stderr}`,
    truncated: false,
  });
  const output = 90 + command.length * 3;
  emit({
    type: 'usage',
    input: 1800 + calls * 240,
    output,
    reasoning: 40,
    cache_read: 1500,
    cache_write: 0,
    cost_usd: model === 'strong' ? 0.0071 : 0.0012,
  });
  return stdout;
};
/** @param {string} path @param {string} content */
const write = (path, content) => {
  const id = `call-${++calls}`;
  emit({ type: 'tool_call', id, name: 'write', input: { path, content }, command: null });
  writeFileSync(path, content);
  emit({ type: 'tool_result', id, exit_code: null, is_error: false, output: '', truncated: false });
};

emit({ type: 'session', session_id: 'demo', model_requested: model, model_used: `clerk-${model}-2` });
await say('I read the delivery note first, and look at how the stock is kept.');
await run('cat delivery-note.txt');
await run('stock --help');
think(
  isCareful
    ? 'The note marks the cables as missing. They must not be booked, only lamps and plugs.'
    : 'Lamps, plugs and cables are on the note. I add all of them.',
);
if (task.includes('damaged')) {
  if (!isCareful) {
    await run('stock remove lamps 2');
    await say('There is no `remove`. The help names `take`.');
  }
  await run('stock take lamps 2');
} else {
  await run('stock add lamps 5');
  await run('stock add plugs 12');
  if (!isCareful) await run('stock add cables 4');
}
const listed = await run('stock list --json');
const pieces = Object.values(JSON.parse(listed).items).reduce((sum, count) => sum + count, 0);
write('report.md', `# Delivery\n\nPieces: ${pieces}\n`);
await run('stock list');
await say('The stock is up to date, and `report.md` says how many pieces there are.');
emit({ type: 'result', ending: 'done', exit_code: 0 });
