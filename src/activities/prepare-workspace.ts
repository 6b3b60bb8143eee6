import { gateSubject } from '../gates/index.js';
import type { JudgeSettings } from '../scenario/plan.js';
import { STEPS, type RunCard, type RunRef } from '../workflows/protocol.js';
import { heartbeating } from './heartbeat.js';
import { publishStep } from './publish-step.js';
import { loadRun, type Deps } from './run-context.js';
import { buildWorkspace, type Prepared } from './workspace.js';

const SUBJECT_LENGTH = 60;
const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SUBJECT_LENGTH ? `${line.slice(0, SUBJECT_LENGTH - 1)}…` : line;
};

const judgeCard = ({
  model,
  rubric_file,
  timeout_secs,
  always,
}: JudgeSettings): NonNullable<RunCard['judge']> => ({
  model,
  rubric: brief(rubric_file),
  timeoutSecs: timeout_secs,
  always,
});

/** Makes the workspace and says what steps the run has. */
export const prepareWorkspace =
  (deps: Deps) =>
  async (run: RunRef): Promise<RunCard> => {
    const context = await loadRun(deps, run);
    const { scenario } = context;
    const prepared = await publishStep<Prepared>(context, STEPS.prepare, (fence) =>
      heartbeating((signal) => buildWorkspace(deps, context, fence, signal)),
    );
    return {
      unfit: prepared.unfit,
      agentTimeoutSecs: context.timeout_secs,
      posts: scenario.scripts.post.map(({ command, timeout_secs }) => ({
        subject: brief(context.redact(command)),
        timeoutSecs: timeout_secs,
      })),
      gates: scenario.evaluation.gates.map((gate) => ({
        type: gate.type,
        subject: brief(context.redact(gate.name ?? gateSubject(gate))),
        timeoutSecs: gate.timeout_secs,
      })),
      evaluators: scenario.scripts.evaluators.map(({ name, timeout_secs }) => ({
        name,
        timeoutSecs: timeout_secs,
      })),
      ...(context.judge === null ? {} : { judge: judgeCard(context.judge) }),
    };
  };
