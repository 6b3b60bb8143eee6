import { readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { displayPath, folderAbove } from '#host';
import { counted, fileProblem, type Problem, UsageError } from '#lib';
import { isFile, isFolder, loadText, openPlugin, openProject } from '#planning';
import { type CaseFiles, type PluginCase, pluginCase, PLUGIN_MANIFEST } from '#scenario';
import { writeNewFiles } from './shared/new-files.js';
import { printNotice } from './shared/output.js';

const YAML = 'case.yaml';
const PROMPT = 'prompt.md';
/** Folders in which `claude plugin eval` looks for no cases. */
const OTHER = ['node_modules', '.claude', 'results', 'mocks'];

/**
 * Writes a scenario for each case of `claude plugin eval`: of a plugin, of a folder in it, or of one case. Returns the
 * paths of the scenarios. Writes all files or none.
 *
 * @throws UsageError with all problems of the cases, or if files exist
 */
export async function importPluginCases(
  path: string,
  { out, force }: { out?: string; force: boolean },
): Promise<{ plugin: string; scenarios: string[] }> {
  const root = folderAbove(resolve(path), (folder) => isFile(join(folder, PLUGIN_MANIFEST)));
  if (root === null)
    throw new UsageError(
      'usage',
      `${displayPath(resolve(path))} is in no plugin of Claude Code: no folder above it has ${PLUGIN_MANIFEST}`,
    );
  const { plugin, evals } = await openPlugin(root);
  const target = resolve(out ?? openProject().fixturesPath);
  const from = resolve(path) === root ? join(root, evals ?? 'evals') : resolve(path);
  const folders = isFolder(from) ? casesBelow(from) : [];
  if (folders.length === 0)
    throw new UsageError(
      'usage',
      `there are no cases in ${displayPath(from)}: expected folders with ${PROMPT} or ${YAML}`,
    );
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const cases: PluginCase[] = [];
  for (const folder of folders) {
    const files = filesOfCase(folder, texts);
    const made = pluginCase(files, { ...plugin, path: relative(target, root) }, (script) => {
      const read = loadText(resolve(folder, script));
      return read.ok && !relative(folder, resolve(folder, script)).startsWith('..') ? read.text : null;
    });
    if (!made.ok) problems.push(...made.problems);
    else if (cases.some(({ scenario }) => scenario === made.value.scenario))
      problems.push(
        fileProblem(displayPath(folder), `another case is also named ${made.value.scenario}; names must be unique`),
      );
    else cases.push(made.value);
  }
  if (problems.length > 0) {
    const count = counted(problems.length, 'problem');
    throw new UsageError(
      'scenario_invalid',
      `${count} in cases of ${displayPath(root)}; nothing was written. Name the folder of one case to import only that`,
      problems,
      texts,
    );
  }
  writeNewFiles(
    target,
    cases.flatMap(({ scenario, yaml }) => [
      { path: `${scenario}.yaml`, content: yaml, mode: 0o644 },
      { path: join(scenario, '.gitkeep'), content: '', mode: 0o644 },
    ]),
    force,
  );
  for (const { scenario, notes } of cases) for (const note of notes) printNotice(`${scenario}: ${note}`);
  if (isFolder(join(root, evals ?? 'evals', 'mocks')))
    printNotice(
      'mocks/ was not imported: runs start the real MCP servers of the plugin, unless setup.mocks answers for them',
    );
  const judged = cases.filter(({ yaml }) => yaml.includes('type: llm_judge')).length;
  if (judged > 0) printNotice(`${judged} of ${cases.length} need a judge: run them with --judge-model`);
  return {
    plugin: displayPath(root),
    scenarios: cases.map(({ scenario }) => displayPath(join(target, `${scenario}.yaml`))),
  };
}

/** The folders of cases, in the order of their names. A case contains no others. */
function casesBelow(folder: string): string[] {
  if ([YAML, PROMPT].some((name) => isFile(join(folder, name)))) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !OTHER.includes(entry.name))
    .map(({ name }) => join(folder, name))
    .sort()
    .flatMap(casesBelow);
}

function filesOfCase(folder: string, texts: Map<string, string>): CaseFiles {
  const read = (name: string): CaseFiles['yaml'] => {
    if (!isFile(join(folder, name))) return null;
    const file = displayPath(join(folder, name));
    const loaded = loadText(join(folder, name));
    if (!loaded.ok) throw new UsageError('usage', `${file} cannot be read: ${loaded.reason}`);
    texts.set(file, loaded.text);
    return { file, text: loaded.text };
  };
  const graders = isFolder(join(folder, 'graders')) ? readdirSync(join(folder, 'graders')).sort() : [];
  return {
    name: basename(folder),
    yaml: read(YAML),
    prompt: read(PROMPT),
    graders: new Map(
      graders.flatMap((name) => {
        const text = name.endsWith('.md') ? read(join('graders', name)) : null;
        return text === null ? [] : [[name.slice(0, -3), text] as const];
      }),
    ),
  };
}
