import { z } from 'zod';
import { changesIn } from '#environments';
import type { JudgeQuestion, Rubric } from '#gates';
import { readTextIfThere } from '#host';
import { EvaluatorResult, GateDetail, redactFields, STEPS } from '#model';
import { agentStepAt, firstAgentStep, gatesOf } from '#scenario';
import { fixtureFolder } from '#store';
import { readAgentStep } from '../agent/agent-steps.js';
import { readStep } from '../step/run-step-once.js';
import type { Deps } from '../step/deps.js';
import type { RunContext } from '../step/run-context.js';

/** Gathers what the judge is given about a run, redacted. */
export async function gatherQuestion(
  { resultsPath }: Deps,
  context: RunContext,
  rubric: Rubric,
): Promise<JudgeQuestion> {
  const { scenario, environment, handle, files, redact } = context;
  const results = async <T>(list: readonly unknown[], step: (index: number) => string): Promise<T[]> => {
    const manifests = await Promise.all(list.map((_, index) => readStep<T>(context, step(index))));
    return manifests.flatMap((manifest) => (manifest === null ? [] : [manifest.result]));
  };
  const fixture = fixtureFolder(resultsPath, context.fixture);
  const changes = await changesIn(environment, handle, { fixture, files: scenario.inputs.files });
  const agent = (await readAgentStep(context))?.result.record;
  return {
    rubric,
    // One by one, because the redactor treats each file as a separate document.
    files:
      changes === null
        ? null
        : { ...changes, changed: changes.changed.map((file) => ({ ...file, ...masked(file, redact) })) },
    transcript: (await readTextIfThere(files.humanTranscript)) ?? 'There is no transcript.',
    ...redactFields(
      {
        description: scenario.description,
        task: agentStepAt(scenario, firstAgentStep(scenario)).prompt,
        ending: agent === undefined ? 'not known' : `${agent.ending}: ${agent.message}`,
        gates: await results<GateDetail>(gatesOf(scenario), STEPS.gate),
        evaluators: await results<EvaluatorResult>(scenario.checks.evaluators, STEPS.evaluator),
      },
      z.object({
        description: z.string(),
        task: z.string(),
        ending: z.string(),
        gates: z.array(GateDetail),
        evaluators: z.array(EvaluatorResult),
      }),
      redact,
    ),
  };
}

const masked = (
  { path, start }: { path: string; start: string | null },
  redact: (text: string) => string,
): { path: string; start: string | null } => ({
  path: redact(path),
  start: start === null ? null : redact(start),
});
