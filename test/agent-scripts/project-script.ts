import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findDeno } from '../../src/host/process/find-deno.js';

/** The environment of a shell that finds Deno. */
export function denoEnv(): { PATH: string } {
  const deno = findDeno(null);
  if (deno === null) throw new Error('Deno comes with `npm install`');
  return { PATH: `${dirname(deno)}:${process.env['PATH'] ?? ''}` };
}

/** A machine without Deno: neither on PATH nor in a folder of npm (for programs started with `noDeno`). */
export const NO_DENO_PATH = `/usr/bin:/bin:${dirname(process.execPath)}`;
const NO_DENO_FILE = 'no-deno.cjs';
export const NO_DENO_FILES = {
  [NO_DENO_FILE]: `const Module = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...more) => {
  if (name.startsWith('deno/')) throw new Error('there is no package deno');
  return resolve.call(Module, name, ...more);
};
`,
};
export const noDeno = (folder: string): Record<string, string> => ({
  PATH: NO_DENO_PATH,
  NODE_OPTIONS: `--require ${join(folder, NO_DENO_FILE)}`,
});

/** The README of a script with these flags. */
export const readmeOf = (name: string, flags = ''): string =>
  [
    `# ${name}`,
    `## Summary\n\nWhat ${name} is for.`,
    `## Usage\n\n\`\`\`bash\ndeno run ${flags} .agents/scripts/${name}/run.ts\n\`\`\`\n`,
  ].join('\n\n');

/** The files of an agent script, by their paths from the root of the project. */
export const scriptFiles = (name: string, source: string, flags = ''): Record<string, string> => ({
  [`.agents/scripts/${name}/run.ts`]: source,
  [`.agents/scripts/${name}/README.md`]: readmeOf(name, flags),
});

export const printing = (answer: object): string => `console.log(${JSON.stringify(JSON.stringify(answer))});\n`;

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
