import { pattern } from '#input';
import { counted } from '#lib';
import type { CommandLine } from '#model';
import { z } from 'zod';
import { boundsProblem, comparedWith, judgeNumber } from '../bounds.js';
import { checkTrajectory, seenOnly, unseenCommandsReason } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate, type GateContext, type Verdict } from '../gate.js';
import { brokenPattern } from '../text-matcher.js';
import { broken, fail, pass, quotedText, tooSlow } from '../verdicts.js';

const SHOWN = 3;

/** Returns the simple commands that match; the whole line if only that matches (a pattern with a pipe in it). */
function commandsMatching({ whole, parts }: CommandLine, matching: ReadonlySet<string>): string[] {
  const matches = parts.filter((part) => matching.has(part));
  return matches.length === 0 && matching.has(whole) ? [whole] : matches;
}

function listed(commands: string[]): string {
  if (commands.length === 0) return '';
  const more = commands.length > SHOWN ? `, and ${commands.length - SHOWN} more` : '';
  return ` (${commands.slice(0, SHOWN).map(quotedText).join(', ')}${more})`;
}

/**
 * Checks that between `min` and `max` of the agent's commands match the pattern. The verdict is `error` if commands
 * that were not recorded could change it.
 */
function checkCalls(
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
    const why = unseenCommandsReason(trajectory);
    const unseen = why === null ? dropped : Infinity;
    const evidence = `${found.length || 'none'} of ${counted(commandCount, 'command')} ${found.length > 1 ? 'match' : 'matches'} ${quotedText(pattern)}${listed(found)}`;
    const note = seenOnly(trajectory);
    const compared = comparedWith({ min, max }, found.length, unseen);
    if (compared === 'above') return fail(`${evidence}; expected ${max === 0 ? 'none' : `at most ${max}`}${note}`);
    if (compared === 'below') return fail(`${evidence}; expected at least ${min}${note}`);
    return compared === 'within'
      ? pass(`${evidence}${note}`)
      : broken(`${evidence}; ${why ?? `the last ${unseen} were not kept`}, so this cannot be decided`);
  });
}

export const commandCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_called'),
      ...commonFields,
      pattern,
      min: count.default(1).describe('How many commands must match'),
      max: count.optional().describe('How many commands may match; unlimited if omitted'),
    })
    .superRefine(({ min, max }, context) => {
      const problem = boundsProblem({ min, max }, 'min');
      if (problem === null) return;
      const message = `${problem}${max === 0 ? '; for "never" use command_not_called' : ''}`;
      context.addIssue({ code: 'custom', path: ['max'], message });
    })
    .describe('At least `min` and at most `max` shell commands of the agent match the pattern'),
  subject: (spec) => spec.pattern,
  check: ({ pattern, timeout_secs, min, max = Infinity }, context) =>
    checkCalls({ pattern, timeout_secs, min, max }, context),
});

export const commandNotCalled = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_not_called'), ...commonFields, pattern })
    .describe('No shell command of the agent matches the pattern'),
  subject: (spec) => spec.pattern,
  check: ({ pattern, timeout_secs }, context) => checkCalls({ pattern, timeout_secs, min: 0, max: 0 }, context),
});

export const maxCommands = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_commands'),
      ...commonFields,
      max: count.describe('How many shell commands the agent may run'),
    })
    .describe('The agent ran at most `max` shell commands'),
  subject: (spec) => counted(spec.max, 'command'),
  check: ({ max }, context) =>
    checkTrajectory(context, (trajectory) => {
      const ran = counted(trajectory.commandCount, 'command');
      const why = unseenCommandsReason(trajectory);
      const evidence = `${ran}; expected at most ${max}`;
      return judgeNumber(
        { max },
        { known: trajectory.commandCount, unknown: why === null ? 0 : Infinity },
        `${evidence}${seenOnly(trajectory)}`,
        `${evidence}; ${why ?? ''}`,
      );
    }),
});
