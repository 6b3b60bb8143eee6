import { compilePattern } from '../lib/pattern.js';
import type { CommandLine } from '../results/trajectory.js';
import { checkTrajectory, seenOnly } from './check-trajectory.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, countOf, fail, pass, quote } from './verdicts.js';

const SHOWN = 3;

/** The simple commands that match; the whole line where only that does, as by a pattern with a pipe in it. */
function commandsMatching({ whole, parts }: CommandLine, test: (text: string) => boolean): string[] {
  const matches = parts.filter(test);
  return matches.length === 0 && test(whole) ? [whole] : matches;
}

function listed(commands: string[]): string {
  if (commands.length === 0) return '';
  const more = commands.length > SHOWN ? `, and ${commands.length - SHOWN} more` : '';
  return ` (${commands.slice(0, SHOWN).map(quote).join(', ')}${more})`;
}

/** Whether between `min` and `max` of the agent's commands match the pattern, as far as they were kept. */
export function checkCalls(
  { pattern, min, max }: { pattern: string; min: number; max: number },
  context: GateContext,
): Promise<Verdict> {
  return checkTrajectory(context, (trajectory) => {
    const compiled = compilePattern(pattern);
    if (!compiled.ok) return broken(compiled.message);
    const { commands, commandCount } = trajectory;
    const found = commands.flatMap((command) => commandsMatching(command, compiled.test));
    const unseen = commandCount - commands.reduce((kept, { parts }) => kept + parts.length, 0);
    const said = `${found.length || 'none'} of ${countOf(commandCount, 'command')} ${found.length > 1 ? 'match' : 'matches'} ${quote(pattern)}${listed(found)}`;
    const note = seenOnly(trajectory);
    if (found.length > max) return fail(`${said}; expected ${max === 0 ? 'none' : `at most ${max}`}${note}`);
    if (found.length + unseen < min) return fail(`${said}; expected at least ${min}${note}`);
    return found.length >= min && found.length + unseen <= max
      ? pass(`${said}${note}`)
      : broken(`${said}; the last ${unseen} were not kept, so that nothing can be said${note}`);
  });
}
