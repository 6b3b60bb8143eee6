import type { ComparedConfiguration } from '#decide';

/** The verdict on a configuration as the page shows it. `sure`: null if nothing is shown, or it is in doubt. */
export function shownVerdict({ verdict, robust }: Pick<ComparedConfiguration, 'verdict' | 'robust'>): {
  text: string;
  sure: 'better' | 'worse' | null;
} {
  if (verdict !== 'better' && verdict !== 'worse') return { text: verdict, sure: null };
  return robust === false ? { text: `perhaps ${verdict}`, sure: null } : { text: verdict, sure: verdict };
}
