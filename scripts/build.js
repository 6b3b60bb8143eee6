// Bundles the programs and the library (with rolldown) and the workflows (with Temporal's bundler) into dist/, and
// writes the library's types and the build id. Builds into a folder beside dist/ and then renames it, so that a running
// command never sees half a build.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { build } from 'rolldown';
import ts from 'typescript';
import { importBundled } from './import-bundled.js';
import { licencesOf } from './licences.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = join(root, `dist.${process.pid}`);

// All packages are bundled because loading their many files takes longer than most verbs do
// (specs/explanation/performance.md), and because most of what they would install is not needed. Those in package.json
// among the dependencies are installed: they are few files, or seldom loaded, or load files of their own by name.
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// The libraries of model providers need zod installed too.
const INSTALLED = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== 'zod');
// The command line has most of Temporal's modules in its bundle; in a worker, the SDK loads modules by name.
const INSTALLED_FOR_CLI = INSTALLED.filter((name) => !/^@temporalio\/(client|common|envconfig|proto)$/.test(name));

/**
 * Turns Temporal's protocol, an object literal of 1.4 MB, into a call of JSON.parse, which V8 reads twice as fast.
 * @type {import('rolldown').Plugin}
 */
const parsedAsJson = {
  name: 'parsed-as-json',
  transform: {
    filter: { id: /@temporalio\/proto\/protos\/json-module\.js$/ },
    handler(code) {
      const [all = '', literal = ''] = /\.addJSON\((\{[^]*\})\)/.exec(code) ?? [];
      const json = JSON.stringify(new Function(`return ${literal}`)());
      const parsed = `.addJSON(JSON.parse(${JSON.stringify(json)}))`;
      return { code: code.replace(all, () => parsed), map: { mappings: '' } };
    },
  },
};

try {
  const outputs = [
    // Together, because they share most of their code.
    ...(await bundle(INSTALLED_FOR_CLI, {
      cli: 'src/cli.ts',
      library: 'src/library/index.ts',
      vitest: 'src/library/vitest.ts',
      node: 'src/library/node.ts',
    })),
    ...(await bundle(INSTALLED, [
      'src/worker.ts',
      'src/agents/mock-program.ts',
      'src/agents/loop/servers-program.ts',
      'src/activities/databases/seed-program.ts',
      'src/agent-host/host-program.ts',
      'src/subjects/mcp/proxy-program.ts',
      'src/subjects/mcp/connect-program.ts',
      'src/activities/gate/work-program.ts',
      'src/mocks/mocked-command.ts',
      'src/mocks/endpoint-server.ts',
      'src/engine/download-temporal.ts',
      'src/engine/codec/failure-converter.ts',
      'src/environments/container/relay-program.ts',
    ])),
    // Each in one file, which is copied into folders that containers mount.
    ...(await bundle(INSTALLED, ['src/agents/acp/acp-program.ts'])),
    ...(await bundle(INSTALLED, ['src/environments/container/with-provider-program.ts'])),
  ];
  outputs.push(...(await bundlePages(join(root, 'src/viewer/pages'), join(fresh, 'viewer'))));
  await writeTypes(join(root, 'src/library'), join(fresh, 'types'));
  cpSync(join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'), join(fresh, 'sqlite.wasm'));
  cpSync(join(root, 'src/commands/templates'), join(fresh, 'templates'), { recursive: true });
  cpSync(join(root, 'src/host/process/supervisor'), join(fresh, 'supervisor'), { recursive: true });

  const silent = { trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error, log() {} };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'src/workflows/index.ts'),
    payloadConverterPath: join(root, 'src/workflows/converters.ts'),
    failureConverterPath: join(root, 'src/workflows/converters.ts'),
    logger: silent,
  });
  const { workflows, sources } = withPortableMap(code);
  writeFileSync(join(fresh, 'workflow-bundle.js'), workflows);

  const modules = outputs.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(fresh, 'third-party-licences.txt'), licencesOf([...modules, ...sources]));

  const hash = createHash('sha256');
  for (const name of readdirSync(fresh, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.(js|sh|pl)$/.test(name)) hash.update(name).update(readFileSync(join(fresh, name)));
  writeFileSync(join(fresh, 'build-id'), hash.digest('hex').slice(0, 16));
  chmodSync(join(fresh, 'cli.js'), 0o755);

  rmSync(`${dist}.old`, { recursive: true, force: true });
  try {
    renameSync(dist, `${dist}.old`);
  } catch {
    // There is no dist/ before the first build.
  }
  renameSync(fresh, dist);
  rmSync(`${dist}.old`, { recursive: true, force: true });
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/**
 * Bundles programs into one flat folder, so that a path such as `./mock-program.js` is right in every bundle.
 * @param {string[]} installed the packages that are loaded from node_modules; others are bundled
 * @param {string[] | Record<string, string>} input
 */
async function bundle(installed, input) {
  const { output } = await build({
    cwd: root,
    platform: 'node',
    input,
    external: (id, importer) =>
      installed.includes(/^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? '') && importer?.includes('/node_modules/') !== true,
    // Keeps module names the same if node_modules is a symlink.
    resolve: { symlinks: false },
    plugins: [parsedAsJson],
    // A face names all files of its room: a program must not load those of which it uses nothing.
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    output: {
      dir: fresh,
      chunkFileNames: '[name]-[hash].js',
      sourcemap: true,
      // A tenth of the code, which every command would read.
      comments: { legal: true, jsdoc: false, annotation: false },
    },
  });
  return output;
}

/**
 * Bundles the page of `view` into one script, beside its HTML and its style: it loads nothing else.
 * @param {string} from
 * @param {string} to
 */
async function bundlePages(from, to) {
  const { output } = await build({
    cwd: root,
    platform: 'browser',
    input: { app: join(from, 'app.tsx') },
    resolve: { symlinks: false },
    output: { dir: to, minify: true, comments: { legal: true, jsdoc: false, annotation: false } },
  });
  for (const file of ['index.html', 'app.css']) cpSync(join(from, file), join(to, file));
  return output;
}

/**
 * Writes the declarations of the library's modules. They say all types themselves, so each file is enough; only those
 * of the documents are made from the schemas.
 * @param {string} from
 * @param {string} to
 */
async function writeTypes(from, to) {
  mkdirSync(to);
  const { documentTypes } = await importBundled(fileURLToPath(new URL('./types/documents.js', import.meta.url)));
  // Its folders have no public types.
  for (const name of readdirSync(from).filter((name) => name.endsWith('.ts'))) {
    const text = name === 'documents.ts' ? documentTypes() : readFileSync(join(from, name), 'utf8');
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
      fileName: name,
      reportDiagnostics: true,
      compilerOptions: { declaration: true, isolatedDeclarations: true, target: ts.ScriptTarget.ES2023 },
    });
    const [problem] = diagnostics;
    if (problem !== undefined)
      throw new Error(`src/library/${name}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`);
    writeFileSync(join(to, name.replace(/\.ts$/, '.d.ts')), outputText);
  }
}

/**
 * Makes the inline source map, which Temporal needs, portable. Webpack's map contains the text of all files and their
 * paths on this machine: the package would be twice as large, and would reveal where it was built.
 * @param {string} made
 */
function withPortableMap(made) {
  const [head = '', encoded = ''] = made.split(/(?<=\n\/\/# sourceMappingURL=data:[^,]*;base64,)/);
  const { version, file, names, mappings, sources } = JSON.parse(Buffer.from(encoded, 'base64').toString());
  const portable = { version, file, names, mappings, sources: sources.map(nameOfSource) };
  const workflows = `${head}${Buffer.from(JSON.stringify(portable)).toString('base64')}\n`;
  return { workflows, sources };
}

/**
 * Returns a path that is the same in every build: from `node_modules` on, or relative to the repository.
 * @param {string} path
 */
function nameOfSource(path) {
  const dependency = path.lastIndexOf('node_modules/');
  if (dependency !== -1) return path.slice(dependency);
  return isAbsolute(path) ? relative(root, path).split(sep).join('/') : path;
}
