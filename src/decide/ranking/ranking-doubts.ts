import { counted } from '#lib';
import { resultsOfRetries, type SweepResults } from '../comparison/arms.js';
import type { RankedAgent } from './document.js';

/** The largest difference between shares of errors that is not reported. */
const ALIKE = 0.1;

/** Returns sentences about what makes a ranking less reliable than it looks. */
export function rankingDoubts(sweep: SweepResults, agents: readonly RankedAgent[]): string[] {
  const finished = new Set(sweep.lines.map(({ cell }) => cell));
  const waiting = sweep.cells.filter(({ id }) => !finished.has(id)).length;
  const again = resultsOfRetries(sweep.lines).length;
  return [
    ...(sweep.status === 'open' && waiting > 0
      ? [`the sweep has not ended: ${counted(waiting, 'cell')} without a result yet; what is slow may be missing`]
      : []),
    ...agents.flatMap((agent) =>
      agent.missing.length === 0
        ? []
        : [
            `${nameOf(agent)} has no rank: none of its runs passed or failed in ${named(agent.missing)}; \`retry\` runs cells again that ended with an error`,
          ],
    ),
    ...(again === 0
      ? []
      : [`${counted(again, 'cell')} had a result and ran again (retry --failed); the first result counts`]),
    ...agents.flatMap((agent) =>
      (agent.versions ?? []).length < 2
        ? []
        : [`${nameOf(agent)} ran in several versions: ${named(agent.versions ?? [])}`],
    ),
    ...errorDoubts(agents),
    ...agents.flatMap((agent) =>
      agent.cost_runs === agent.tested || agent.cost_runs === 0
        ? []
        : [
            `the cost of ${counted(agent.tested - agent.cost_runs, 'run')} of ${nameOf(agent)} is unknown; its cost is that of the other ${agent.cost_runs}`,
          ],
    ),
  ];
}

/** If errors depend on how a run goes, the remaining runs are not a fair sample. */
function errorDoubts(agents: readonly RankedAgent[]): string[] {
  const shares = agents
    .map((agent) => ({
      agent,
      ended: agent.errored + agent.tested,
      errors: agent.errored + agent.after_errors,
    }))
    .filter(({ ended }) => ended > 0)
    .map((one) => ({ ...one, share: one.errors / one.ended }))
    .sort((a, b) => b.share - a.share);
  const [most, least] = [shares[0], shares.at(-1)];
  if (most === undefined || least === undefined || most.share <= ALIKE) return [];
  const text = ({ agent, ended, errors }: typeof most): string => `${errors} of ${ended} runs of ${nameOf(agent)}`;
  const redone = agents.some(({ after_errors }) => after_errors > 0) ? ', or did so before they passed or failed' : '';
  const both = `${text(most)} and ${text(least)} ended with an error${redone}`;
  return [
    most.share - least.share > ALIKE
      ? `error rates differ: ${both}; if errors depend on how a run goes, the remaining runs are not a fair sample`
      : `${both}: even if all have as many, those of one may hide passes and those of another failures`,
  ];
}

const nameOf = ({ agent, model }: Pick<RankedAgent, 'agent' | 'model'>): string => `${agent}/${model}`;

/** More names do not fit into a sentence. */
const MAX_NAMES = 5;

function named(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
