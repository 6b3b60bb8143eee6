import { existsSync } from 'node:fs';
import { gateSubject, startsProcess } from '../gates/index.js';
import { beginningOf } from '../lib/cut.js';
import type { JudgeSettings } from '../scenario/plan.js';
import { fingerprint } from '../platform/fingerprint.js';
import { isSmallTree } from '../platform/is-small-tree.js';
import { fixtureFolder } from '../store/results-folder.js';
import { resultsIndex } from '../store/results-index.js';
import { STEPS, type RunCard, type RunRef } from '../workflows/protocol.js';
import { heartbeating } from './step/heartbeat.js';
import { cacheKey } from './prepare/cache-key.js';
import { inMoments } from './step/in-moments.js';
import { publishStep } from './step/publish-step.js';
import { loadRun, type Deps, type RunContext } from './step/run-context.js';
import { buildWorkspace, type Prepared } from './prepare/build-workspace.js';

const SUBJECT_LENGTH = 60;
const brief = (text: string): string => beginningOf(text.replaceAll(/\s+/g, ' ').trim(), SUBJECT_LENGTH);

const judgeCard = ({
  model,
  rubric_file,
  timeout_secs,
  votes,
  always,
}: JudgeSettings): NonNullable<RunCard['judge']> => ({
  model,
  rubric: brief(rubric_file),
  timeoutSecs: timeout_secs * votes,
  always,
});

/** Makes the workspace and says what steps the run has. */
export const prepareWorkspace =
  (deps: Deps) =>
  async (run: RunRef): Promise<RunCard | null> => {
    const context = await loadRun(deps, run);
    return inMoments(
      () => isQuick(deps, context),
      async () => {
        const prepared = await publishStep<Prepared>(context, STEPS.prepare, (fence) =>
          heartbeating(async (signal) => {
            const built = await buildWorkspace(deps, context, fence, signal);
            return { ...built, ...(built.unfit === null ? await lookUp(deps, context, built) : {}) };
          }),
        );
        return cardOf(context, prepared);
      },
    );
  };

/** Nothing is started, and little is copied. */
const isQuick = ({ resultsPath }: Deps, { scenario, target, agent, fixture }: RunContext): boolean =>
  scenario.setup.commands.length === 0 &&
  target.health_check === undefined &&
  agent.version === null &&
  isSmallTree(fixtureFolder(resultsPath, fixture));

function cardOf(context: RunContext, prepared: Prepared): RunCard {
  const { scenario } = context;
  return {
    unfit: prepared.unfit,
    ...(prepared.reuse == null ? {} : { reuse: prepared.reuse }),
    agentTimeoutSecs: context.timeout_secs,
    ...(scenario.task.context.length === 0
      ? {}
      : {
          context: scenario.task.context.map(({ script, args, timeout_secs }) => ({
            subject: brief(context.redact([script, ...args].join(' '))),
            timeoutSecs: timeout_secs,
          })),
        }),
    posts: scenario.scripts.post.map(({ command, timeout_secs }) => ({
      subject: brief(context.redact(command)),
      timeoutSecs: timeout_secs,
    })),
    gates: scenario.evaluation.gates.map((gate) => ({
      type: gate.type,
      subject: brief(context.redact(gate.name ?? gateSubject(gate))),
      timeoutSecs: gate.timeout_secs,
      inProcess: !startsProcess(gate),
    })),
    evaluators: scenario.scripts.evaluators.map(({ name, timeout_secs }) => ({
      name,
      timeoutSecs: timeout_secs,
    })),
    ...(context.judge === null ? {} : { judge: judgeCard(context.judge) }),
  };
}

/** What the target is, the run's cache key, and the finished run that has the same one. */
async function lookUp(
  { resultsPath }: Deps,
  context: RunContext,
  prepared: Prepared,
): Promise<Pick<Prepared, 'target_fingerprint' | 'cache_key' | 'reuse'>> {
  const cache_key = await cacheKey(context, prepared);
  const found = cache_key === null || !context.cache ? null : resultsIndex(resultsPath).reusable(cache_key);
  const target_fingerprint = prepared.resolved === null ? null : await fingerprint(prepared.resolved);
  return {
    target_fingerprint,
    cache_key,
    reuse: found !== null && existsSync(found.files.metrics) ? found.id : null,
  };
}
