import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stdout } from 'node:process';
import { scriptPaths } from '#agent-scripts';
import { ownCommand, packageFile } from '#host';
import { UsageError } from '#lib';
import { isFile } from '#planning';
import { fillTemplate } from '../shared/fill-template.js';
import { writeNewFiles, type NewFile } from '../shared/new-files.js';
import { printJson } from '../shared/output.js';
import { scriptsRoot } from './find-scripts.js';

const LIBRARY = '.agents/lib';

/** `scripts new`: creates a script that passes `scripts check`, and the library that it needs if it is missing. */
export function newAgentScript(name: string, { json }: { json: boolean }): number {
  const paths = scriptPaths(name);
  if (paths === null)
    throw new UsageError(
      'bad_name',
      `'${name}' is not a valid script name: expected letters, digits, - and _, e.g. check-coverage or coverage/check`,
    );
  const root = scriptsRoot() ?? process.cwd();
  const values = { name: paths.name, lib: relative(paths.folder, LIBRARY) };
  const library = `${LIBRARY}/script.ts`;
  const files: NewFile[] = [
    ...(isFile(join(root, library))
      ? []
      : [{ path: library, content: readFileSync(packageFile(library), 'utf8') }]),
    { path: paths.source, content: fillTemplate('agent-scripts/run.ts', values) },
    { path: paths.readme, content: fillTemplate('agent-scripts/README.md', values) },
  ].map((file) => ({ ...file, mode: 0o644 }));
  writeNewFiles(root, files);
  const made = files.map(({ path }) => path);
  if (json) printJson({ folder: root, files: made });
  else
    stdout.write(
      [
        `created in ${root}:`,
        ...made.map((path) => `  ${path}`),
        '',
        `next: try ${ownCommand(`scripts run ${paths.name} World`)}, edit it, and run ${ownCommand(`scripts check ${paths.name}`)}`,
        '',
      ].join('\n'),
    );
  return 0;
}
