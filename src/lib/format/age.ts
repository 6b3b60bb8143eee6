const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Returns the milliseconds of "30d", "12h", "90m" or "2w"; null for any other text. */
export function parseAge(text: string): number | null {
  const match = /^(\d{1,6})([mhdw])$/.exec(text.trim());
  return match === null ? null : Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

/** Formats how long ago something was, in one unit: "just now", "4m ago", "3h ago", "12d ago". */
export function formatAge(ms: number): string {
  if (ms < UNITS.m) return 'just now';
  if (ms < UNITS.h) return `${Math.floor(ms / UNITS.m)}m ago`;
  if (ms < 2 * UNITS.d) return `${Math.floor(ms / UNITS.h)}h ago`;
  return `${Math.floor(ms / UNITS.d)}d ago`;
}
