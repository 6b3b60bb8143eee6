import { z } from 'zod';
import { groupBy, mean } from '#lib';

/** A sequence of actions by which several runs went. */
export const CommonTrajectory = z.object({
  sequence: z.array(z.string()).describe('Names of the called tools, in order; empty: none was called'),
  count: z.number().int().describe('Runs with exactly this sequence'),
  percentage: z.number().describe('count / runs whose sequence is known, from 0 to 1'),
  average_duration_secs: z.number().nullable().describe('Mean duration of these runs'),
});
export type CommonTrajectory = z.infer<typeof CommonTrajectory>;

interface Walked {
  /** Null: unknown. */
  actions: readonly string[] | null;
  duration_secs: number | null;
}

/** Returns the most frequent sequences, the most frequent first. Runs whose sequence is unknown do not count. */
export function commonTrajectories(runs: readonly Walked[], most: number): CommonTrajectory[] {
  const known = runs.flatMap(({ actions, duration_secs }) =>
    actions === null ? [] : { actions, duration_secs },
  );
  const keyOf = ({ actions }: (typeof known)[number]): string => JSON.stringify(actions);
  return groupBy(known, keyOf)
    .map((alike) => ({ alike, key: alike.slice(0, 1).map(keyOf).join() }))
    .sort((a, b) => b.alike.length - a.alike.length || (a.key < b.key ? -1 : 1))
    .slice(0, most)
    .map(({ alike }) => ({
      sequence: [...(alike[0]?.actions ?? [])],
      count: alike.length,
      percentage: alike.length / known.length,
      average_duration_secs: mean(alike.map(({ duration_secs }) => duration_secs)),
    }));
}
