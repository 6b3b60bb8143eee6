import { existsSync } from 'node:fs';
import { gateSubject, startsProcess } from '../gates/index.js';
import { beginningOf } from '../lib/cut.js';
import type { JudgeSettings } from '../scenario/plan.js';
import { isSmallTree } from '../platform/is-small-tree.js';
import { readJsonIfThere } from '../platform/read-file.js';
import type { RunRecord } from '../results/run-record.js';
import { fixtureFolder } from '../store/results-folder.js';
import { resultsIndex } from '../store/results-index.js';
import { STEPS, type RunCard, type RunRef } from '../workflows/protocol.js';
import { heartbeating } from './step/heartbeat.js';
import { cacheKey } from './prepare/cache-key.js';
import { targetFiles } from './prepare/target-files.js';
import { inMoments } from './step/in-moments.js';
import { noteOpenRun } from './step/open-runs.js';
import { publishStep } from './step/publish-step.js';
import type { Deps } from './step/deps.js';
import { loadRun, type RunContext } from './step/run-context.js';
import { buildSecs, buildWorkspace, type Prepared } from './prepare/build-workspace.js';

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
    const context = await loadRun(deps, run, { decidePlace: true });
    noteOpenRun(deps, run);
    await deps.endOthers?.(run);
    const known = await ownResult(deps, run);
    if (known !== null) {
      const prepared = { ...NOTHING, reuse: known };
      return cardOf(
        context,
        await publishStep<Prepared>(context, STEPS.prepare, () => Promise.resolve(prepared)),
      );
    }
    return inMoments(
      () => isQuick(deps, context),
      async () => {
        const prepared = await publishStep<Prepared>(context, STEPS.prepare, (fence) =>
          heartbeating(async (signal) => {
            const built = await buildWorkspace(deps, context, fence, signal);
            const found = built.unfit === null ? await lookUp(deps, context, built) : {};
            // The path may hold a value that was handed over; nobody opens it any more.
            return {
              ...built,
              ...found,
              resolved: built.resolved === null ? null : context.redact(built.resolved),
            };
          }),
        );
        return cardOf(context, prepared);
      },
    );
  };

const NOTHING: Prepared = { setup: [], health_check: null, resolved: null, unfit: null, warnings: [] };

/**
 * Id of the result of this cell that this round has already: after a loss of power the server may know less than the
 * results folder, and starts a run again that has been recorded.
 */
async function ownResult({ resultsPath }: Deps, run: RunRef): Promise<string | null> {
  const known = resultsIndex(resultsPath).ofSweep(run.sweep).get(run.cell.id);
  if (known === undefined || known.id === run.run || known.cached_from !== null) return null;
  const record = await readJsonIfThere<Pick<RunRecord, 'workflow_id'>>(known.files.run);
  return record?.workflow_id === run.workflowId ? known.id : null;
}

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
    rebuildSecs: buildSecs(context),
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
): Promise<Pick<Prepared, 'target_fingerprint' | 'target_whole' | 'cache_key' | 'reuse' | 'warnings'>> {
  const target = prepared.resolved === null ? null : await targetFiles(context, prepared.resolved);
  const { key: cache_key, unknown } = await cacheKey(context, prepared, target);
  const index = resultsIndex(resultsPath);
  // A cell that has a result and is run again (`retry --failed`) is to be run: the cache holds what it has already.
  const mayReuse = context.cache && !index.isDecided(context.run.sweep, context.run.cell.id);
  const found = cache_key === null || !mayReuse ? null : index.reusable(cache_key);
  const notReused = unknown !== null && context.cache ? [`this result will not be reused: ${unknown}`] : [];
  return {
    target_fingerprint: target?.fingerprint ?? null,
    ...(target === null ? {} : { target_whole: true }),
    warnings: [...prepared.warnings, ...notReused],
    cache_key,
    reuse: found !== null && existsSync(found.files.metrics) ? found.id : null,
  };
}
