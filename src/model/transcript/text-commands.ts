import { plainText } from '#lib';
import { isPrompt, type Command, type CommandNamer } from './name-commands.js';
import { isFailureLine, statedExitCode } from './text-result.js';

function* linesOf(text: string | Iterable<string>): Generator<string> {
  if (typeof text !== 'string') {
    yield* text;
    return;
  }
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/**
 * Returns the target's commands in a text transcript. The lines after a command, up to the next command or shell
 * prompt, are its result. The first exit status that they state decides; without one, any line that reports a failure
 * does.
 */
export function textCommands(text: string | Iterable<string>, namer: CommandNamer): Command[] {
  const commands: Command[] = [];
  let open: Command | null = null;
  for (const raw of linesOf(text)) {
    const line = plainText(raw);
    const found = namer.inText(line).map((named) => ({ ...named, failed: false }));
    if (found.length > 0) {
      for (const command of found) commands.push(command);
      open = found.at(-1) ?? null;
    } else if (isPrompt(line)) open = null;
    else if (open !== null) {
      const exitCode = statedExitCode(line);
      if (exitCode !== null) {
        open.failed = exitCode !== 0;
        open = null;
      } else if (open.name !== 'help' && isFailureLine(line)) open.failed = true;
    }
  }
  return commands;
}
