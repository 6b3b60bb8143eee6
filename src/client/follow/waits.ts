import { knownAgents } from '#agents';
import type { SweepProgress } from '#protocol';
import type { Wait } from '#reports';
import type { Plan } from '#scenario';

/** The runs that are parked. */
export const parkedIn = ({ parked = [] }: SweepProgress): NonNullable<SweepProgress['parked']> => parked;

/** What the sweep cannot do at present although it has tried for minutes. */
export const troublesOf = ({ troubles = [] }: SweepProgress): string[] =>
  troubles.map(({ what, message }) => `cannot ${what}, and tries again: ${message}`);

/** The providers that a sweep waits for, each with the latest time until which it waits. */
export function waitsOf(progress: SweepProgress): Wait[] {
  const waits = new Map<string | undefined, Wait>();
  for (const wait of [...(progress.limits ?? []), ...parkedIn(progress)])
    if (wait.until > (waits.get(wait.provider)?.until ?? 0))
      waits.set(wait.provider, {
        until: wait.until,
        ...(wait.provider === undefined ? {} : { provider: wait.provider }),
        ...('message' in wait ? { message: wait.message } : {}),
      });
  return [...waits.values()];
}

/** Returns a function that finds the limit that a cell's run waits for between steps, or null. */
export function limitsOf(plan: Plan): (progress: SweepProgress, cell: string) => Wait | null {
  const agents = knownAgents(plan.agents);
  const providers = new Map(
    plan.cells.map(({ id, agent, model }) => [id, agents.get(agent)?.provider(model) ?? null]),
  );
  return ({ limits = [] }, cell) => limits.find(({ provider }) => provider === providers.get(cell)) ?? null;
}
