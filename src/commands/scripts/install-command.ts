import { join } from 'node:path';
import { stdout } from 'node:process';
import { UsageError } from '#lib';
import { readText } from '#planning';
import { fillTemplate } from '../shared/fill-template.js';
import { writeNewFiles } from '../shared/new-files.js';
import { printJson } from '../shared/output.js';
import { scriptsRoot } from './find-scripts.js';

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
    throw new UsageError(
      'bad_command',
      `'${command}' is not a plain command like \`npx --no llm-tool-test\``,
    );
  const root = scriptsRoot() ?? process.cwd();
  const files = [...new Set(agents.length === 0 ? AGENTS : agents)].map((agent) => {
    const known = AGENTS.find((name) => name === agent);
    if (known === undefined)
      throw new UsageError(
        'unknown_agent',
        `no command file for agent '${agent}'; known agents: ${AGENTS.join(', ')}`,
      );
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
          ({ path, call, made }) =>
            `  ${path}  ${made ? 'created' : 'already there'}: ${call} <script> [args]`,
        ),
        '',
      ].join('\n'),
    );
  return 0;
}
