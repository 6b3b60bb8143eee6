import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseReadme, type Readme, scriptPaths, type ScriptPaths, SCRIPTS_FOLDER } from '#agent-scripts';
import { folderAbove, ownCommand } from '#host';
import { suggest, UsageError } from '#lib';
import { isFile, isFolder, readText } from '#planning';

/** A script of a project, with its README as text and parsed (`parsedReadme`). Both are null if it has none. */
export interface FoundScript extends ScriptPaths {
  readme_text: string | null;
  parsedReadme: Readme | null;
}

/** Returns the folder that contains `.agents/scripts`: `from` or the nearest one above it. Null if there is none. */
export const scriptsRoot = (from = process.cwd()): string | null =>
  folderAbove(from, (folder) => isFolder(join(folder, SCRIPTS_FOLDER)));

/** Like `scriptsRoot`. @throws UsageError if there is none */
export function findScriptsRoot(): string {
  const root = scriptsRoot();
  if (root !== null) return root;
  throw new UsageError(
    'no_scripts',
    `there is no ${SCRIPTS_FOLDER} in this folder or its parents; create one with ${ownCommand('scripts new <name>')}`,
  );
}

/** Lists all scripts of a project by name: folders with a run.ts or a README.md, at any depth. */
export function listScripts(root: string): FoundScript[] {
  const below = (folder: string): string[] => {
    if (isFile(join(folder, 'run.ts')) || isFile(join(folder, 'README.md'))) return [folder];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
      .flatMap((entry) => below(join(folder, entry.name)));
  };
  const scripts = join(root, SCRIPTS_FOLDER);
  return readdirSync(scripts, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => below(join(scripts, entry.name)))
    .flatMap((folder) => scriptPaths(relative(scripts, folder)) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((paths) => read(root, paths));
}

/**
 * Finds a script by its name, or by a path relative to the root or the working folder.
 *
 * @throws UsageError if there is none
 */
export function findScript(root: string, nameOrPath: string): FoundScript {
  const scripts = listScripts(root);
  const wanted = [nameOrPath, relative(root, resolve(nameOrPath))].flatMap((each) => scriptPaths(each) ?? []);
  const found = scripts.find(({ name }) => wanted.some((paths) => paths.name === name));
  if (found !== undefined) return found;
  const names = scripts.map(({ name }) => name);
  const near = suggest(nameOrPath, names);
  const hint = near === null ? `known: ${names.join(', ') || 'none'}` : `did you mean '${near}'?`;
  throw new UsageError('unknown_script', `no agent script '${nameOrPath}' in ${SCRIPTS_FOLDER}; ${hint}`);
}

function read(root: string, paths: ScriptPaths): FoundScript {
  const text = readText(join(root, paths.readme));
  return { ...paths, readme_text: text, parsedReadme: text === null ? null : parseReadme(text) };
}
