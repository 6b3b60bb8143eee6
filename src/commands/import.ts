import { readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { displayPath } from '#host';
import type { Loaded } from '#input';
import { counted, fileProblem, type Problem, UsageError } from '#lib';
import { isFile, isFolder, loadText, openProject, skillName } from '#planning';
import { type CaseScenario, readCsv, readJsonLines, readSuite, type Suite, suiteScenarios } from '#scenario';
import { importPluginCases } from './import-plugin.js';
import { importInspect, isInspectLog } from './import-inspect.js';
import { importPromptfoo, isPromptfoo } from './import-promptfoo.js';
import { printWritten } from './shared/written.js';
import { type NewFile, writeNewFiles } from './shared/new-files.js';
import { printJson, printNotice } from './shared/output.js';

interface ImportOptions {
  results?: string;
  skill?: string;
  out?: string;
  force: boolean;
  json: boolean;
}

/** Readers of suites, by the extension of the file. */
const READERS: Readonly<Record<string, (file: string, text: string) => Loaded<Suite>>> = {
  '.json': readSuite,
  '.jsonl': readJsonLines,
  '.csv': readCsv,
};

/**
 * `import`: makes a sweep of logs of Inspect, or writes scenarios.
 *
 * @throws UsageError with all problems of what is imported, or if files exist
 */
export async function importAny(paths: readonly string[], options: ImportOptions): Promise<number> {
  if (paths.every(isInspectLog)) return importInspect(paths, options);
  const [path = '', ...others] = paths;
  if (others.length > 0)
    throw new UsageError('usage', 'only logs of Inspect can be imported together; import the others one after another');
  if (options.results !== undefined) throw new UsageError('usage', '--results is for logs of Inspect');
  return importSuite(path, options);
}

/** Writes a scenario, with its fixture, for each case of a suite, or of a plugin. Writes all files or none. */
async function importSuite(path: string, options: ImportOptions): Promise<number> {
  if (!isFolder(path)) return isPromptfoo(path) ? importPromptfoo(path, options) : importFile(path, options);
  if (options.skill !== undefined)
    throw new UsageError('usage', '--skill is for files; the cases in a folder are those of a plugin');
  const imported = await importPluginCases(path, options);
  if (options.json) printJson(imported);
  else printWritten(imported.scenarios);
  return 0;
}

function importFile(path: string, { skill, out, force, json }: ImportOptions): number {
  const file = displayPath(resolve(path));
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined)
    throw new UsageError(
      'usage',
      `${file} is no suite: expected evals.json, a list of prompts in .json, .jsonl or .csv, promptfooconfig.yaml, or the folder of a plugin`,
    );
  const loaded = loadText(path);
  if (!loaded.ok) throw new UsageError('usage', `${file} cannot be read: ${loaded.reason}`);
  const suite = read(file, loaded.text);
  const refuse = (problems: Problem[]): never => {
    const count = counted(problems.length, 'problem');
    throw new UsageError(
      'scenario_invalid',
      `${count} in ${file}; nothing was written`,
      problems,
      new Map([[file, loaded.text]]),
    );
  };
  if (!suite.ok) return refuse(suite.problems);

  const folder = skillFolder(path, skill);
  const target = resolve(out ?? openProject().fixturesPath);
  const { cases, ignored } = suite.value;
  if (cases.length === 0) return refuse([fileProblem(file, 'there are no cases in it')]);
  const name = skillName(folder);
  const scenarios = suiteScenarios(suite.value, name, relative(target, folder));
  const problems = scenarios.flatMap((one, at) => problemsOf(one, at, scenarios, folder, suite.problemAt));
  if (problems.length > 0) return refuse(problems);

  writeNewFiles(
    target,
    scenarios.flatMap((one) => filesOf(one, folder)),
    force,
  );
  const files = scenarios.map(({ name }) => displayPath(join(target, `${name}.yaml`)));
  if (ignored.length > 0) printNotice(`warning: ignored in ${file}: ${ignored.join(', ')}`);
  if (suite.value.skill !== null && suite.value.skill !== name)
    printNotice(`warning: ${file} names the skill '${suite.value.skill}', but ${displayPath(folder)} has '${name}'`);
  const judged = scenarios.filter(({ yaml }) => yaml.includes('type: llm_judge')).length;
  if (judged > 0)
    printNotice(
      `${judged} of ${scenarios.length} need a judge for what only a model can check: run them with --judge-model`,
    );
  if (json) printJson({ skill: displayPath(folder), scenarios: files });
  else printWritten(files);
  return 0;
}

/** The folder of the skill under test. @throws UsageError if it is not named, or is no skill */
function skillFolder(path: string, named: string | undefined): string {
  const inSkill = basename(dirname(resolve(path))) === 'evals' ? dirname(dirname(resolve(path))) : undefined;
  const folder = named === undefined ? inSkill : resolve(named);
  if (folder === undefined) throw new UsageError('usage', 'name the skill under test with --skill <folder>');
  if (!isFile(join(folder, 'SKILL.md')))
    throw new UsageError(
      'usage',
      `${displayPath(folder)} is no skill: it has no SKILL.md; name the skill with --skill <folder>`,
    );
  return folder;
}

const NOTHING_EXPECTED =
  'nothing is expected of this case, so its scenario would always pass; add expected_output, assertions or should_trigger';

function problemsOf(
  { name, of }: CaseScenario,
  at: number,
  all: readonly CaseScenario[],
  folder: string,
  problemAt: Extract<Loaded<Suite>, { ok: true }>['problemAt'],
): Problem[] {
  const twice = all.findIndex((other) => other.name === name) < at;
  const isChecked =
    of.expected !== undefined || of.assertions.length > 0 || of.shouldTrigger !== undefined || of.tool !== undefined;
  return [
    ...(isChecked ? [] : [problemAt(['evals', at, 'should_trigger'], NOTHING_EXPECTED)]),
    ...(twice ? [problemAt(['evals', at, 'id'], `another case is also named ${name}; ids must be unique`)] : []),
    ...of.files.flatMap((file, index) =>
      isFile(join(folder, file))
        ? []
        : [
            problemAt(
              ['evals', at, 'files', index],
              `'${file}' ${isFolder(join(folder, file)) ? 'is a folder' : `was not found in ${displayPath(folder)}`}`,
            ),
          ],
    ),
  ];
}

/** The scenario file of a case, and its fixture: the input files, with the paths by which the suite names them. */
const filesOf = ({ name, of, yaml }: CaseScenario, folder: string): NewFile[] => [
  { path: `${name}.yaml`, content: yaml, mode: 0o644 },
  ...(of.files.length === 0
    ? [{ path: join(name, '.gitkeep'), content: '', mode: 0o644 }]
    : of.files.map((file) => ({
        path: join(name, file),
        content: readFileSync(join(folder, file)),
        mode: 0o644,
      }))),
];
