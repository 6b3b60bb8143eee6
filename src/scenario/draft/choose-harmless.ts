import type { ToolHelp } from './read-help.js';

/** As many commands are asked for their help. */
const MOST_COMMANDS = 3;

/** Names of commands that only show something. Others might not know `--help`, and do their work. */
const SHOWS =
  /^(?:list|ls|show|get|status|info|version|view|find|search|check|validate|lint|diff|log|logs|describe|print|cat|count|stats|query|inspect|help)(?![\w:.-])/;

/**
 * Chooses calls that a tool very probably answers without doing anything: `--version`, and the help of a few commands, if the
 * help mentions these.
 */
export function chooseHarmless({ commands, options }: ToolHelp, text: string): string[][] {
  const names = options.flatMap((option) => option.names);
  const version = ['--version', '-V'].find((name) => names.includes(name));
  // otherwise the tool may have no help of its commands, and take `--help` for something else
  const hasHelp = names.includes('--help') || /(?<![\w-])--help\b/.test(text);
  const shown = commands.filter(({ name }) => SHOWS.test(name)).slice(0, MOST_COMMANDS);
  return [
    ...(version === undefined ? [] : [[version]]),
    ...(hasHelp ? shown.map(({ name }) => [name, '--help']) : []),
  ];
}
