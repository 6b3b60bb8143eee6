import { shellWord } from '#lib';
import { stringify } from 'yaml';
import { oneLine, type ToolHelp } from './read-help.js';

/** A tool, and which of its commands were found to work. */
export interface DraftedTool {
  /** The name of the scenario and its fixture. */
  name: string;
  /** The path of the scenario, as `run` takes it: a plain name could also be that of the tool. */
  file: string;
  /** `target.binary` */
  binary: string;
  /** The name by which agents call it: the last part of `binary`. */
  call: string;
  help: ToolHelp;
  /** The arguments with which it prints its help, and whether it then exits with 0. */
  helpArguments: string[];
  helpSucceeds: boolean;
  /** Arguments of further harmless calls that exit with 0: `--version`, and the help of commands. */
  harmless: string[][];
  /** Path of the schema, for editors; null if there is none. */
  schema: string | null;
}

export interface ScenarioDraft {
  scenario: string;
  agentsMd: string;
  /** The edits to make, with the line in the scenario. */
  edits: { line: number; what: string }[];
}

const EDIT = '# EDIT: ';
/** As many commands are in the mock's summary. */
const MAX_LISTED = 20;

/** Drafts a scenario that the mock agent passes, from what the tool says about itself. */
export function draftScenario(tool: DraftedTool): ScenarioDraft {
  const { name, binary, help } = tool;
  const call = shellWord(tool.call);
  const commandOf = (words: readonly string[]): string => [call, ...words.map(shellWord)].join(' ');
  const helpCommand = commandOf(tool.helpArguments);
  const [first] = help.commands;
  const scenario = lines(
    tool.schema === null ? null : `# yaml-language-server: $schema=${tool.schema}`,
    '# A draft. The free mock agent passes it, which only shows that the help works. Change what is marked EDIT, then run it:',
    '#',
    `#     llm-tool-test run ${shellWord(tool.file)}`,
    '#',
    '# `llm-tool-test validate` finds mistakes in this file without running anything.',
    `name: ${scalar(name)}`,
    `${EDIT}say in a sentence what is tested`,
    `description: ${scalar(`Find out what ${tool.call} can do`)}`,
    '',
    '# The files that the agent starts with.',
    `template_folder: ${scalar(name)}`,
    '',
    'target:',
    `  binary: ${scalar(binary)}`,
    tool.helpSucceeds ? `  health_check: ${scalar(helpCommand)}` : null,
    '',
    'task:',
    `  ${EDIT}ask for a result, as you would ask a colleague; the help of the tool should explain the steps`,
    `  prompt: ${scalar(`Find out what the command ${tool.call} can do. Then write summary.md, which lists its commands or options.`)}`,
    '',
    'evaluation:',
    `  ${EDIT}check what must be true at the end, for example with command_output_contains`,
    '  gates:',
    '    - type: file_exists',
    '      path: summary.md',
    ...(first === undefined
      ? []
      : ['    - type: file_contains', '      path: summary.md', `      substring: ${scalar(first.name)}`]),
    ...(tool.helpSucceeds ? ['    - type: command_succeeds', `      command: ${scalar(helpCommand)}`] : []),
    '    # The agent used the tool, and none of its calls failed.',
    '    - type: command_called',
    `      pattern: ${scalar(`(^|/)${escapePattern(call)}( |$)`)}`,
    ...(tool.helpSucceeds ? ['    - type: no_transcript_errors'] : []),
    '',
    '# What the free mock agent does.',
    'mock:',
    `  ${EDIT}run the commands that do the task`,
    '  steps:',
    `    - run: ${scalar(helpCommand)}`,
    ...tool.harmless.map((words) => `    - run: ${scalar(commandOf(words))}`),
    '    - write:',
    '        path: summary.md',
    '        content: |',
    ...summaryOf(tool).map((line) => `          ${line}`),
  );
  return { scenario, agentsMd: agentsMdOf(tool, helpCommand), edits: editsIn(scenario) };
}

function summaryOf({ call, help }: DraftedTool): string[] {
  const entries =
    help.commands.length > 0
      ? help.commands
      : help.options.map(({ names, description }) => ({ name: names.join(', '), description }));
  const list = entries
    .slice(0, MAX_LISTED)
    .map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`);
  return [`What ${oneLine(call)} can do:`, ...list];
}

const agentsMdOf = ({ call, help }: DraftedTool, helpCommand: string): string =>
  lines(
    `# ${call}`,
    '',
    help.description ?? `The command ${call} is on your PATH.`,
    '',
    `\`${helpCommand}\` says how to use it.`,
  );

const editsIn = (scenario: string): ScenarioDraft['edits'] =>
  scenario.split('\n').flatMap((line, at) => {
    const start = line.indexOf(EDIT);
    return line.trimStart().startsWith(EDIT) ? [{ line: at + 1, what: line.slice(start + EDIT.length) }] : [];
  });

/** Writes a text as one line of YAML. */
const scalar = (text: string): string =>
  /[\n\\]/.test(text) ? JSON.stringify(text) : stringify(text, { lineWidth: 0 }).trimEnd();

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const lines = (...parts: (string | null)[]): string => `${parts.filter((part) => part !== null).join('\n')}\n`;

/** As many commands are asked for their help. */
const MAX_COMMANDS = 3;

/** Names of commands that only show something. Others might not know `--help`, and do their work. */
const SHOWS =
  /^(?:list|ls|show|get|status|info|version|view|find|search|check|validate|lint|diff|log|logs|describe|print|cat|count|stats|query|inspect|help)(?![\w:.-])/;

/**
 * Chooses calls that a tool very probably answers without doing anything: `--version`, and the help of a few commands,
 * if the help mentions these.
 */
export function chooseHarmless({ commands, options }: ToolHelp, text: string): string[][] {
  const names = options.flatMap((option) => option.names);
  const version = ['--version', '-V'].find((name) => names.includes(name));
  // Otherwise the tool may have no help of its commands, and take `--help` for something else.
  const hasHelp = names.includes('--help') || /(?<![\w-])--help\b/.test(text);
  const shown = commands.filter(({ name }) => SHOWS.test(name)).slice(0, MAX_COMMANDS);
  return [...(version === undefined ? [] : [[version]]), ...(hasHelp ? shown.map(({ name }) => [name, '--help']) : [])];
}
