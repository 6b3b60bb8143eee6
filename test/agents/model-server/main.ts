import { readFileSync } from 'node:fs';
import { startModelServer } from './server.js';
import type { ScriptInput } from './script.js';

/** The scripted model by itself: `main.js SCRIPTS.json [PORT]`. Prints its address, then one line for each request. */
const [file, port] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: main.js SCRIPTS.json [PORT]');
const given = JSON.parse(readFileSync(file, 'utf8')) as ScriptInput | ScriptInput[];
const server = await startModelServer([given].flat(), Number(port ?? 0));
console.log(server.url);
await server.until((requests) => {
  const last = requests.at(-1);
  if (last !== undefined) console.log(JSON.stringify({ ...last, tools: last.tools.map(({ name }) => name) }));
  return false;
});
