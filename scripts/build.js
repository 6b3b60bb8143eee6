// Compiles to dist/, copies what is not TypeScript, bundles the workflows and names the build.
// Everything is made beside dist/ and then moved into place, so that a running command never sees half a build.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = join(root, `dist.${process.pid}`);

try {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json'), '--outDir', fresh], {
    stdio: 'inherit',
  });
  cpSync(join(root, 'src/platform/supervisor'), join(fresh, 'platform/supervisor'), { recursive: true });

  const silent = { trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error, log() {} };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(fresh, 'workflows/index.js'),
    preloadModules: [join(fresh, 'workflows/without-stack-traces.js')],
    logger: silent,
  });
  writeFileSync(join(fresh, 'workflow-bundle.js'), withPortableMap(code));

  const hash = createHash('sha256');
  const files = readdirSync(fresh, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(js|sh|pl)$/.test(entry.name) && entry.name !== 'workflow-bundle.js',
  );
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash.update(path.slice(fresh.length)).update(readFileSync(path));
  }
  writeFileSync(join(fresh, 'build-id'), hash.digest('hex').slice(0, 16));
  chmodSync(join(fresh, 'cli.js'), 0o755);

  rmSync(`${dist}.old`, { recursive: true, force: true });
  try {
    renameSync(dist, `${dist}.old`);
  } catch {
    // the first build
  }
  renameSync(fresh, dist);
  rmSync(`${dist}.old`, { recursive: true, force: true });
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/**
 * Temporal wants the bundle's source map inline. As webpack makes it, it names files by their path on this machine and holds
 * the text of all of them: the package would tell where it was built, and be twice as large.
 * @param {string} bundle
 */
function withPortableMap(bundle) {
  const [head = '', encoded = ''] = bundle.split(/(?<=\n\/\/# sourceMappingURL=data:[^,]*;base64,)/);
  const { version, file, names, mappings, sources } = JSON.parse(Buffer.from(encoded, 'base64').toString());
  const portable = { version, file, names, mappings, sources: sources.map(nameOfSource) };
  return `${head}${Buffer.from(JSON.stringify(portable)).toString('base64')}\n`;
}

/**
 * From `node_modules` on, wherever that is; else from the repository's root, and the same in every build.
 * @param {string} path
 */
function nameOfSource(path) {
  const dependency = path.lastIndexOf('node_modules/');
  if (dependency !== -1) return path.slice(dependency);
  if (!isAbsolute(path)) return path;
  return relative(root, path.replace(fresh, dist)).split(sep).join('/');
}
