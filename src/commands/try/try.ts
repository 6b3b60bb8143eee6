import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { SweepDocument } from '#decide';
import { displayPath, findExecutable, ownCommand } from '#host';
import { commandText, fileProblem, safeName, shellWord, UsageError } from '#lib';
import { openProject, type Project } from '#planning';
import { type ScenarioDraft, draftScenario } from '#scenario';
import { run } from '../run/run.js';
import { findInstalledSchemas, schemaPath } from '../shared/find-schemas.js';
import { writeNewFiles } from '../shared/new-files.js';
import { printJson, printSweep } from '../shared/output.js';
import { probeTool, type ProbedTool } from './probe-tool.js';

export interface TryOptions {
  results?: string;
  address?: string;
  json: boolean;
}

/** A place in a file that the user should edit next. */
interface Edit {
  file: string;
  line: number;
  what: string;
}

/**
 * `try`: drafts a scenario from the help of a tool, and runs it with the free mock agent. Overwrites no file. Returns
 * the exit code of the run.
 */
export async function tryTool(tool: string, options: TryOptions): Promise<number> {
  const project = openProject(options.results);
  const path = locate(tool);
  const name = safeName(basename(tool).replace(/\.\w+$/, ''));
  refuseExisting(project, name);
  const probed = await probeTool(path, tool);
  const file = join(project.fixturesPath, `${name}.yaml`);
  const draft = draftScenario({
    ...probed,
    name,
    file: relative(project.root, file),
    binary: tool.includes('/') ? pathFrom(project, path) : tool,
    call: basename(tool),
    schema: schemaFor(project.fixturesPath),
  });
  const files = filesOf(name, draft);
  writeNewFiles(project.fixturesPath, files);
  const written = files.map((one) => displayPath(join(project.fixturesPath, one.path)));
  const edits: Edit[] = [
    ...draft.edits.map((edit) => ({ file: displayPath(file), ...edit })),
    {
      file: written[1] ?? '',
      line: 1,
      what: 'tell agents what they should know about the tool before they start',
    },
  ];
  if (!options.json) process.stdout.write(describeDraft(tool, probed, written));

  const ran: { document: SweepDocument | null } = { document: null };
  const code = await run({
    ...options,
    files: [file],
    agents: ['mock'],
    judge: false,
    name,
    detach: false,
    print: (document) => {
      ran.document = document;
      if (!options.json) printSweep(document, false);
    },
  });
  const help = commandText([tool, ...probed.helpArguments]);
  if (options.json) printJson({ tool, help, files: written, edit: edits, sweep: ran.document });
  else process.stdout.write(describeNext(displayPath(file), edits));
  return code;
}

/** @throws UsageError if there is no such program */
function locate(tool: string): string {
  const path = findExecutable(tool.includes('/') ? resolve(tool) : tool);
  if (path !== null) return path;
  const remedy =
    !tool.includes('/') && existsSync(tool)
      ? `there is a file of this name here; write ./${tool}`
      : tool.includes('/')
        ? existsSync(tool)
          ? `it is not an executable file: run chmod +x ${tool}`
          : 'there is no such file; build it, or correct the path'
        : 'it is not on PATH; install it, or give its path, for example ./bin/mytool';
  throw new UsageError('target_missing', `cannot run '${tool}': ${remedy}`);
}

/** Before the tool is started for nothing. @throws UsageError if the draft would overwrite a file */
function refuseExisting({ fixturesPath }: Project, name: string): void {
  const taken = [`${name}.yaml`, name].map((one) => join(fixturesPath, one)).filter((one) => existsSync(one));
  if (taken.length === 0) return;
  throw new UsageError(
    'files_in_the_way',
    `nothing was written because ${taken.map(displayPath).join(' and ')} already ${taken.length === 1 ? 'exists' : 'exist'}; run it with ${ownCommand(`run ${shellWord(displayPath(join(fixturesPath, `${name}.yaml`)))}`)}, or move it`,
    taken.map((one) => fileProblem(displayPath(one), 'already exists')),
  );
}

/** A path inside the project is relative to the scenario, so that it is right in every clone. */
function pathFrom({ root, fixturesPath }: Project, path: string): string {
  const inProject = relative(root, path);
  if (inProject.startsWith('..')) return path;
  const fromScenario = relative(fixturesPath, path);
  return fromScenario.startsWith('.') ? fromScenario : `./${fromScenario}`;
}

function schemaFor(folder: string): string | null {
  const schemas = findInstalledSchemas(folder) ?? join(dirname(folder), '.llm-tool-test');
  const file = join(schemas, 'scenario.schema.json');
  return existsSync(file) ? schemaPath(folder, file) : null;
}

const filesOf = (name: string, { scenario, agentsMd }: ScenarioDraft) =>
  [
    [`${name}.yaml`, scenario],
    [join(name, 'AGENTS.md'), agentsMd],
    // `gemini` reads only this file.
    [join(name, 'GEMINI.md'), '@./AGENTS.md\n'],
  ].map(([path = '', content = '']) => ({ path, content, mode: 0o644 }));

function describeDraft(tool: string, { help, helpArguments }: ProbedTool, files: readonly string[]): string {
  const count = (list: readonly unknown[], what: string): string =>
    `${list.length} ${what}${list.length === 1 ? '' : 's'}`;
  return [
    `drafted from \`${commandText([tool, ...helpArguments])}\` (${count(help.commands, 'command')}, ${count(help.options, 'option')}):`,
    ...files.map((file) => `  ${file}`),
    '\n',
  ].join('\n');
}

function describeNext(file: string, edits: readonly Edit[]): string {
  const places = edits.map(({ file, line }) => `${file}:${line}`);
  const width = Math.max(...places.map((place) => place.length));
  return [
    '',
    'This only shows that the help works. Edit next:',
    ...edits.map(({ what }, at) => `  ${(places[at] ?? '').padEnd(width)}  ${what}`),
    `then run it again with ${ownCommand(`run ${shellWord(file)}`)}`,
    '',
  ].join('\n');
}
