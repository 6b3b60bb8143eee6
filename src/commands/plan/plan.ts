import { agentOfCell, knownAgents } from '../../agents/index.js';
import { readDigestedLog } from '../../client/sweeps/read-log.js';
import { nothingSelected } from '../../planning/nothing-selected.js';
import { openProject } from '../../planning/project.js';
import { resolveSweep, type ResolvedSweep, type SweepFlags } from '../../planning/resolve-sweep.js';
import { selectScenarios, type Selection } from '../../planning/select-scenarios.js';
import { renderForecast } from '../../reports/forecast-text.js';
import { ALPHA, DIFFERENCE_TO_SHOW, POWER } from '../../results/comparison/document.js';
import { pairedCells } from '../../results/decision/paired-cells.js';
import { MOST_RUNS } from '../../results/decision/until-clear.js';
import {
  configurationsIn,
  expectedOf,
  forecast,
  type ForecastConfiguration,
} from '../../results/forecast.js';
import { modelAsked } from '../../scenario/plan.js';
import { toDecideOf } from '../run/to-decide.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';

export interface PlanOptions extends Selection, SweepFlags {
  /** Shares: 0.2 are 20 percentage points. */
  effect?: number;
  power?: number;
  passRate?: number;
  runUsd?: number;
  runSecs?: number;
  vs?: string;
  maxRuns?: number;
  results?: string;
  json: boolean;
}

/** `plan`: says what it takes to show a change of the selected scenarios. Starts and writes nothing. Returns the exit code. */
export async function plan(options: PlanOptions): Promise<number> {
  const { effect = DIFFERENCE_TO_SHOW, power = POWER, vs, maxRuns, repeat, ...flags } = options;
  const project = openProject(options.results);
  const selected = await selectScenarios(project, options);
  if (selected.length === 0) throw nothingSelected(project, options, '');
  const toDecide =
    vs === undefined
      ? null
      : toDecideOf(project, selected, {
          ...{ untilClear: true, vs, judge: flags.judge },
          ...(maxRuns === undefined ? {} : { maxRuns }),
        });
  const resolved = resolveSweep(project, selected, {
    ...flags,
    ...(toDecide === null ? { repeat: 1 } : { toDecide }),
  });
  const results = readDigestedLog(project.resultsPath, printNotice);
  const configurations = configurationsOf(resolved).map((one) =>
    expectedOf(one, results, {
      ...(options.passRate === undefined ? {} : { passRate: options.passRate }),
      ...usdOf(options, resolved, one),
      ...(options.runSecs === undefined ? {} : { secs: options.runSecs }),
    }),
  );
  const document = forecast(configurations, {
    ...{ effect, power, alpha: ALPHA, concurrency: resolved.concurrency, maxUsd: resolved.maxUsd },
    mostRuns: maxRuns ?? MOST_RUNS,
    sides: resolved.untilClear?.base.kind === 'sweep' ? 1 : 2,
    ...(repeat === undefined ? {} : { repeat }),
  });
  if (options.json) printJson(document);
  else process.stdout.write(renderForecast(document, textOptions()));
  return 0;
}

type Named = Pick<ForecastConfiguration, 'scenario' | 'agent' | 'model' | 'variants'>;

/** The configurations, each compared with itself: with a base variant, both variants are one. */
function configurationsOf({ cells, untilClear }: ResolvedSweep): Named[] {
  if (untilClear === undefined) return configurationsIn(cells);
  const { base } = untilClear;
  return pairedCells(cells, untilClear).map(({ scenario, agent, model, variant }) => ({
    ...{ scenario, agent, model },
    variants: base.kind === 'variant' ? [base.variant, variant] : [variant],
  }));
}

/** The cost of a run that need not be learned from earlier ones. */
function usdOf(
  { runUsd }: PlanOptions,
  { agents, scenarios }: ResolvedSweep,
  { scenario, agent }: Named,
): { usd?: number } {
  if (runUsd !== undefined) return { usd: runUsd };
  const isJudged = scenarios.some(
    ({ selected, effective }) => selected.scenario.name === scenario && modelAsked(effective) !== null,
  );
  return !isJudged && agentOfCell({ agent }, knownAgents(agents))?.free === true ? { usd: 0 } : {};
}
