import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stdout } from 'node:process';
import { scriptPaths } from '#agent-scripts';
import { ownCommand, packageFile } from '#host';
import { UsageError } from '#lib';
import { isFile, readText } from '#planning';
import { type NewFile, writeNewFiles } from '../shared/new-files.js';
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
    ...(isFile(join(root, library)) ? [] : [{ path: library, content: readFileSync(packageFile(library), 'utf8') }]),
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

/**
 * `scripts prompt`: prints the lines to put into AGENTS.md so that agents find the scripts. Their cost is in
 * specs/reference/agent-scripts.md.
 */
export function printScriptsPrompt({ json }: { json: boolean }): number {
  const prompt = readFileSync(packageFile('dist/templates/agent-scripts/prompt.md'), 'utf8');
  if (json) printJson({ prompt });
  else stdout.write(prompt);
  return 0;
}

/** Where each agent looks for a project's commands, and how its user calls ours. Codex has skills instead. */
const PLACES = {
  'claude-code': { path: '.claude/commands/execute-script.md', call: '/execute-script' },
  opencode: { path: '.opencode/commands/execute-script.md', call: '/execute-script' },
  codex: { path: '.agents/skills/execute-script/SKILL.md', call: '$execute-script' },
} as const;
type AgentName = keyof typeof PLACES;
const AGENTS = Object.keys(PLACES) as AgentName[];

/** Words without a special meaning for shells or in agents' lists of allowed commands. */
const PLAIN = /^[\w@%+=:./-]+( [\w@%+=:./-]+)*$/;

interface Options {
  command: string;
  json: boolean;
}

/**
 * `scripts install-command`: creates files that make `/execute-script <script> [args]` a command of agents. Overwrites
 * none.
 */
export function installCommand(agents: readonly string[], { command, json }: Options): number {
  if (!PLAIN.test(command))
    throw new UsageError('bad_command', `'${command}' is not a plain command like \`npx --no llm-tool-test\``);
  const root = scriptsRoot() ?? process.cwd();
  const files = [...new Set(agents.length === 0 ? AGENTS : agents)].map((agent) => {
    const known = AGENTS.find((name) => name === agent);
    if (known === undefined)
      throw new UsageError('unknown_agent', `no command file for agent '${agent}'; known agents: ${AGENTS.join(', ')}`);
    const { path, call } = PLACES[known];
    const content = fillTemplate(`commands/${known}.md`, { command });
    return { agent, path, call, content, mode: 0o644, made: readText(join(root, path)) !== content };
  });
  writeNewFiles(
    root,
    files.filter(({ made }) => made),
  );
  if (json)
    printJson({
      folder: root,
      files: files.map(({ agent, path, call, made }) => ({ agent, path, call, made })),
    });
  else
    stdout.write(
      [
        `in ${root}:`,
        ...files.map(
          ({ path, call, made }) => `  ${path}  ${made ? 'created' : 'already there'}: ${call} <script> [args]`,
        ),
        '',
      ].join('\n'),
    );
  return 0;
}

/** Reads a file of `templates/` and replaces each `{{name}}` that has a value. */
export const fillTemplate = (path: string, values: Record<string, string>): string =>
  readFileSync(packageFile(`dist/templates/${path}`), 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (whole, name: string) => values[name] ?? whole,
  );
