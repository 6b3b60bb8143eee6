import { agentOfCell, knownAgents } from '#agents';
import {
  ALPHA,
  configurationsIn,
  DIFFERENCE_TO_SHOW,
  expectedOf,
  forecast,
  type ForecastConfiguration,
  MAX_RUNS,
  pairedCells,
  POWER,
  type UntilClear,
} from '#decide';
import { defined, UsageError } from '#lib';
import {
  atAlpha,
  draftOf,
  type DraftOptions,
  monthLeft,
  monthText,
  openProject,
  refuseWithoutRewards,
  resolve,
  type ResolvedSweep,
  selectScenarios,
} from '#planning';
import { renderForecast } from '#reports';
import { judgeModelOf } from '#scenario';
import { readDigestedLog } from '#sweeps';
import { alphaLeftFor, finishedSweep } from './run/until-clear.js';
import { printJson, printNotice, textOptions } from './shared/output.js';

export interface PlanOptions extends Omit<DraftOptions, 'untilClear'> {
  /** Shares: 0.2 are 20 percentage points. */
  effect?: number;
  power?: number;
  passRate?: number;
  runUsd?: number;
  runSecs?: number;
  base?: string;
  measure?: 'passes' | 'reward';
  maxRuns?: number;
  results?: string;
  json: boolean;
}

/**
 * `plan`: says what it takes to show a change of the selected scenarios. Starts and writes nothing. Returns the exit
 * code.
 */
export async function plan(options: PlanOptions): Promise<number> {
  const { measure = 'passes', effect = DIFFERENCE_TO_SHOW, power = POWER, base, maxRuns = MAX_RUNS, repeat } = options;
  const draft = draftOf({
    ...options,
    ...(base === undefined
      ? { repeat: 1 }
      : {
          repeat: null,
          untilClear: { ...(measure === 'reward' ? { measure } : {}), base, margin: null, effect: null, maxRuns },
        }),
  });
  const project = openProject(options.results);
  const selected = await selectScenarios(project, draft);
  if (measure === 'reward') refuseWithoutRewards(selected);
  const resolved = resolve(project, selected, draft, finishedSweep);
  const results = readDigestedLog(project.resultsPath, printNotice);
  const configurations = configurationsOf(resolved).map((one) =>
    expectedOf(one, results, {
      ...defined({ passRate: options.passRate }),
      ...usdOf(options, resolved, one),
      ...defined({ secs: options.runSecs, measure }),
    }),
  );
  const { untilClear, cells } = resolved;
  const asked = untilClear === null ? null : await alphaLeftFor(resolved, untilClear);
  const document = forecast(configurations, {
    measure,
    effect,
    power,
    alpha: ALPHA,
    concurrency: resolved.concurrency,
    maxUsd: resolved.maxUsd,
    maxRuns,
    sides: resolved.untilClear?.base.kind === 'sweep' ? 1 : 2,
    ...defined({ repeat }),
    ...(asked === null || asked.before.spent === 0 ? {} : { left: { alpha: asked.left, before: asked.before } }),
  });
  if (untilClear !== null && asked !== null) warnOfTooFew(cells, untilClear, asked);
  const month = await monthLeft(project, resolved.owner);
  if (options.json) printJson({ ...document, ...(month === null ? {} : { month }) });
  else {
    process.stdout.write(renderForecast(document, textOptions()));
    if (month !== null) process.stdout.write(`\n${monthText(month)}\n`);
  }
  return 0;
}

/** A plan costs nothing, so it is shown although `run` would refuse to start. */
function warnOfTooFew(
  cells: ResolvedSweep['cells'],
  untilClear: UntilClear,
  { left, before }: Awaited<ReturnType<typeof alphaLeftFor>>,
): void {
  try {
    if (before.spent > 0) atAlpha(cells, untilClear, left, before);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printNotice(`warning: --until-clear: ${error.message}`);
  }
}

type ConfigurationNames = Pick<ForecastConfiguration, 'scenario' | 'agent' | 'model' | 'variants'>;

/** The configurations, each compared with itself: with a base variant, both variants are one. */
function configurationsOf({ cells, untilClear }: ResolvedSweep): ConfigurationNames[] {
  if (untilClear === null) return configurationsIn(cells);
  const { base } = untilClear;
  return pairedCells(cells, untilClear).map(({ scenario, agent, model, variant }) => ({
    scenario,
    agent,
    model,
    variants: base.kind === 'variant' ? [base.variant, variant] : [variant],
  }));
}

/** The cost of a run that need not be learned from earlier ones. */
function usdOf(
  { runUsd }: PlanOptions,
  { agents, scenarios }: ResolvedSweep,
  { scenario, agent }: ConfigurationNames,
): { usd?: number } {
  if (runUsd !== undefined) return { usd: runUsd };
  const isJudged = scenarios.some(
    ({ selected, effective }) => selected.scenario.name === scenario && judgeModelOf(effective) !== null,
  );
  return !isJudged && agentOfCell({ agent }, knownAgents(agents))?.free === true ? { usd: 0 } : {};
}
