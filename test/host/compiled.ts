import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa, type Options } from 'execa';
import { transformSync } from 'rolldown/utils';
import { afterAll } from 'vitest';

const project = new URL('../../', import.meta.url).pathname;
/**
 * Compiles the current sources into a temporary folder that any user can read, for tests that need several processes or
 * another user. Call it at the top level of a test file.
 */
export async function compileSources(): Promise<Compiled> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'llm-tool-test-compiled-')));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
  const imports = { '#*/pure': './dist/*/pure.js', '#*': './dist/*/index.js' };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', imports }));
  for (const name of readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })) {
    const [from, to] = [join(project, 'src', name), join(root, 'dist', name)];
    if (!/\.(ts|sh|pl)$/.test(name)) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (!name.endsWith('.ts')) cpSync(from, to);
    else {
      // Keeps all values imported, as `verbatimModuleSyntax` of tsconfig.json does.
      const { code, errors } = transformSync(from, readFileSync(from, 'utf8'), {
        typescript: { onlyRemoveTypeImports: true },
      });
      if (errors.length > 0) throw new AggregateError(errors, `${from} could not be compiled`);
      writeFileSync(to.replace(/\.ts$/, '.js'), code);
    }
  }
  let programs = 0;
  return {
    file: (path) => join(root, 'dist', path),
    program: (code) => {
      const file = join(root, 'dist', `program-${++programs}.mjs`);
      writeFileSync(file, code);
      return file;
    },
    run: (program, args, options) =>
      execa(process.execPath, [program, ...args], { reject: false, cleanup: true, ...options }),
  };
}

export interface Compiled {
  /** The path of a compiled file ("agents/mock-program.js"). */
  file(path: string): string;
  /** Writes an ES module next to the compiled folders (`import './host/fs/lines.js'`) and returns its path. */
  program(code: string): string;
  run(
    program: string,
    args: string[],
    options?: Options,
  ): Promise<{ exitCode?: number | undefined; stdout: unknown; stderr: unknown }>;
}
