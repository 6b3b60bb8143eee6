import { type Action, type ActionLog, hasFailed } from '#model';

/** Formats how an action ended: "exit 2", "failed"; "exit n/a" if a command's exit code is unknown. */
export function actionEnd({ command, end }: Action): string {
  if (end === null) return 'unfinished';
  if (end.exitCode !== null) return `exit ${end.exitCode}`;
  if (end.isError) return 'failed';
  return command === null ? 'done' : 'exit n/a';
}

/** Formats an action: the command, or the name of the tool and its input. */
export const actionText = ({ command, tool, input }: Action): string => command ?? `${tool} ${input}`;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Counts actions: "5 commands, 3 other tool calls, 1 failed". */
export function actionCounts({ actions, more }: ActionLog): string {
  const commands = actions.filter(({ command }) => command !== null).length;
  const others = actions.length - commands;
  const failed = actions.filter(hasFailed).length;
  const sign = more > 0 ? 'at least ' : '';
  return [
    ...(commands > 0 ? [`${sign}${counted(commands, 'command')}`] : []),
    ...(others > 0 ? [`${sign}${counted(others, commands > 0 ? 'other tool call' : 'tool call')}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ');
}

/** Says why there are no actions to show; null if there are some. */
export function whyNoActions({ actions, isText }: ActionLog, calls: number | null): string | null {
  if (actions.length > 0) return null;
  if (!isText) return 'The agent ran no commands and called no tools.';
  const found =
    calls === null
      ? ''
      : ` The target was called ${calls === 1 ? 'once' : `${calls} times`}, as far as the text shows.`;
  return `The agent printed text, so its commands are unknown.${found}`;
}

/** The first line of the output of a failed action that says something, for a place with a single line. */
export const failureLine = ({ output }: Action): string =>
  output.split('\n').find((line) => line.trim() !== '' && !/^Exit code \d+$/.test(line.trim())) ?? '';
