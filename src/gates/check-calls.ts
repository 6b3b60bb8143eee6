import type { CommandLine } from '#model';
import { comparedWith } from './bounds.js';
import { checkTrajectory, seenOnly, whyMoreCommands } from './check-trajectory.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, countOf, fail, pass, quote, tooSlow } from './verdicts.js';
import { brokenPattern } from './text-matcher.js';

const SHOWN = 3;

/** Returns the simple commands that match; the whole line if only that matches (a pattern with a pipe in it). */
function commandsMatching({ whole, parts }: CommandLine, matching: ReadonlySet<string>): string[] {
  const matches = parts.filter((part) => matching.has(part));
  return matches.length === 0 && matching.has(whole) ? [whole] : matches;
}

function listed(commands: string[]): string {
  if (commands.length === 0) return '';
  const more = commands.length > SHOWN ? `, and ${commands.length - SHOWN} more` : '';
  return ` (${commands.slice(0, SHOWN).map(quote).join(', ')}${more})`;
}

/**
 * Checks that between `min` and `max` of the agent's commands match the pattern. The verdict is `error` if commands
 * that were not recorded could change it.
 */
export function checkCalls(
  { pattern, timeout_secs, min, max }: { pattern: string; timeout_secs: number; min: number; max: number },
  context: GateContext,
): Promise<Verdict> {
  return checkTrajectory(context, async (trajectory) => {
    const unusable = brokenPattern(pattern);
    if (unusable !== null) return unusable;
    const { commands, commandCount } = trajectory;
    const texts = [...new Set(commands.flatMap(({ whole, parts }) => [whole, ...parts]))];
    const tested = await context.work('matches', { pattern, texts, whole: false }, timeout_secs);
    if (tested === null) return tooSlow(timeout_secs);
    const matching = new Set(texts.filter((_, index) => tested[index]));
    const found = commands.flatMap((command) => commandsMatching(command, matching));
    const dropped = commandCount - commands.reduce((kept, { parts }) => kept + parts.length, 0);
    const why = whyMoreCommands(trajectory);
    const unseen = why === null ? dropped : Infinity;
    const evidence = `${found.length || 'none'} of ${countOf(commandCount, 'command')} ${found.length > 1 ? 'match' : 'matches'} ${quote(pattern)}${listed(found)}`;
    const note = seenOnly(trajectory);
    const compared = comparedWith({ min, max }, found.length, unseen);
    if (compared === 'above')
      return fail(`${evidence}; expected ${max === 0 ? 'none' : `at most ${max}`}${note}`);
    if (compared === 'below') return fail(`${evidence}; expected at least ${min}${note}`);
    return compared === 'within'
      ? pass(`${evidence}${note}`)
      : broken(`${evidence}; ${why ?? `the last ${unseen} were not kept`}, so this cannot be decided`);
  });
}
