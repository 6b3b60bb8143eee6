import { knownAgents } from '../../agents/index.js';
import type { Wait } from '../../reports/wait-text.js';
import type { Plan } from '../../scenario/plan.js';
import type { SweepProgress } from '../../workflows/protocol.js';

/** Sweeps of an older build do not say which runs wait. */
export const parkedIn = ({ parked = [] }: SweepProgress): NonNullable<SweepProgress['parked']> => parked;

/** What a sweep waits for, each provider once, with the last time that was said. */
export function waitsOf(progress: SweepProgress): Wait[] {
  const waits = new Map<string | undefined, Wait>();
  for (const wait of [...(progress.limits ?? []), ...parkedIn(progress)])
    if (wait.until > (waits.get(wait.provider)?.until ?? 0))
      waits.set(wait.provider, {
        until: wait.until,
        ...(wait.provider === undefined ? {} : { provider: wait.provider }),
      });
  return [...waits.values()];
}

/** Tells which limit the run of a cell waits for, where it is in no step. */
export function limitsOf(plan: Plan): (progress: SweepProgress, cell: string) => Wait | null {
  const agents = knownAgents(plan.agents);
  const providers = new Map(
    plan.cells.map(({ id, agent, model }) => [id, agents.get(agent)?.provider(model) ?? null]),
  );
  return ({ limits = [] }, cell) => limits.find(({ provider }) => provider === providers.get(cell)) ?? null;
}
