import { z } from 'zod';
import { nonBlank } from '#input';
import { counted, ownValue } from '#lib';
import { checkTrajectory, unseenCallsReason } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate, fileText, type GateContext, type Verdict } from '../gate.js';
import { broken, fail, pass, quotedText } from '../verdicts.js';

/** The verdict if the agent is not known to have used something; `others`: what it used instead. */
function unused(evidence: string, unseen: string | null, others: readonly string[]): Verdict {
  if (unseen !== null) return broken(`${evidence} as far as is known; ${unseen}`);
  return fail(others.length === 0 ? evidence : `${evidence}; ${others.map(quotedText).join(', ')} did`);
}

export const subagentUsed = defineGate({
  schema: z
    .strictObject({
      type: z.literal('subagent_used'),
      ...commonFields,
      subagent: nonBlank('the name of a subagent').describe('Its name, with that of its plugin, as in office:reviewer'),
    })
    .describe('The agent started the subagent of a plugin'),
  subject: ({ subagent }) => subagent,
  checksUse: ({ subagent }) => ({ kind: 'subagent', name: subagent, field: 'subagent' }),
  check: ({ subagent }, context) =>
    checkTrajectory(context, (trajectory) => {
      const { subagents = {} } = trajectory;
      const starts = ownValue(subagents, subagent) ?? 0;
      if (starts > 0) return pass(`the subagent ${quotedText(subagent)} started ${counted(starts, 'time')}`);
      const evidence = `the subagent ${quotedText(subagent)} did not start`;
      return unused(evidence, unseenCallsReason(trajectory), Object.keys(subagents));
    }),
});

/** Files in which a workspace can define hooks, which look like those of a plugin in what the agent prints. */
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];

/** The file of the workspace that has hooks, or may have; null if none has. */
async function hooksOfWorkspace(context: Pick<GateContext, 'look'>): Promise<string | null> {
  for (const path of SETTINGS) {
    const found = await context.look(path);
    if (found.kind === 'missing') continue;
    const text = found.kind === 'file' ? await fileText(found) : null;
    if (text === null || text.includes('"hooks"')) return path;
  }
  return null;
}

export const hookRan = defineGate({
  schema: z
    .strictObject({
      type: z.literal('hook_ran'),
      ...commonFields,
      hook: nonBlank('the event of a hook').describe(
        'Event, as in PostToolUse; or with its cause, as in PostToolUse:Bash',
      ),
    })
    .describe('A hook of a plugin ran, and ended with exit status 0, or with 2, by which hooks refuse something'),
  subject: ({ hook }) => hook,
  checksUse: ({ hook }) => ({ kind: 'hook', name: hook.split(':', 1)[0] ?? '', field: 'hook' }),
  check: ({ hook }, context) =>
    checkTrajectory(context, async (trajectory) => {
      const all = Object.entries(trajectory.hooks ?? {});
      const runs = all.flatMap(([name, found]) => (name === hook || name.startsWith(`${hook}:`) ? [found] : []));
      const worked = runs.reduce((sum, one) => sum + one.worked, 0);
      const failed = runs.reduce((sum, one) => sum + one.failed, 0);
      const evidence = `a hook of ${quotedText(hook)}`;
      if (worked > 0) {
        const other = await hooksOfWorkspace(context);
        return other === null
          ? pass(
              `${evidence} ran ${counted(worked, 'time')}${failed === 0 ? '' : `, and failed ${counted(failed, 'time')}`}`,
            )
          : broken(`${evidence} ran, but it may be one of ${other} in the workspace; remove the hooks there`);
      }
      const failure = runs.find((one) => one.failed > 0)?.failure;
      if (failure !== undefined) return fail(`${evidence} failed ${counted(failed, 'time')}: ${failure}`);
      const ran = all.flatMap(([name, found]) => (found.worked > 0 ? [name] : []));
      return unused(`no hook of ${quotedText(hook)} ran`, unseenCallsReason(trajectory), ran);
    }),
});
