// Starts the scripted model of the tests on its own, for agents that you start by hand:
//   node scripts/model-server.js SCRIPT.json [PORT]
// SCRIPT.json contains a script or a list of scripts (test/agents/model-server/script.ts), for example
//   { "steps": [{ "run": "echo hello > out.txt" }, { "say": "It is done." }] }
// Prints its address, then one line per request.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importBundled } from './import-bundled.js';

const [file, port = '0'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node scripts/model-server.js SCRIPT.json [PORT]');
  process.exit(2);
}
const source = fileURLToPath(new URL('../test/agents/model-server/server.ts', import.meta.url));
/** @type {typeof import('../test/agents/model-server/server.js')} */
const { startModelServer } = await importBundled(source);
const server = await startModelServer([JSON.parse(readFileSync(file, 'utf8'))].flat(), Number(port));
console.log(server.url);
await server.until((requests) => {
  const last = requests.at(-1);
  if (last !== undefined) console.log(JSON.stringify({ ...last, tools: last.tools.map(({ name }) => name) }));
  return false;
});
