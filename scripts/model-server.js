// The scripted model of the tests by itself, for agents that are started by hand:
//   node scripts/model-server.js SCRIPT.json [PORT]
// SCRIPT.json holds one script or a list of them (test/agents/model-server/script.ts), for example
//   { "steps": [{ "run": "echo hello > out.txt" }, { "say": "It is done." }] }
// Prints its address, then one line for each request.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const [file, port = '0'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node scripts/model-server.js SCRIPT.json [PORT]');
  process.exit(2);
}
const { startModelServer } = await compiled();
const server = await startModelServer([JSON.parse(readFileSync(file, 'utf8'))].flat(), Number(port));
console.log(server.url);
await server.until((requests) => {
  const last = requests.at(-1);
  if (last !== undefined) console.log(JSON.stringify({ ...last, tools: last.tools.map(({ name }) => name) }));
  return false;
});

/** @returns {Promise<typeof import('../test/agents/model-server/server.js')>} */
async function compiled() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const source = join(root, 'test/agents/model-server');
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-model-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const name of readdirSync(source)) {
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
      const { outputText } = ts.transpileModule(readFileSync(join(source, name), 'utf8'), {
        compilerOptions,
      });
      writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), outputText);
    }
    return await import(pathToFileURL(join(folder, 'server.js')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
