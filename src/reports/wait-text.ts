/** A wait for a provider that did not serve, or did not serve yet. */
export interface Wait {
  /** Absent where it is not known. */
  provider?: string;
  /** ms since 1970 */
  until: number;
}

const DAY_MS = 86_400_000;

/** "waiting for anthropic until 14:05", in the reader's time zone; with the date where that is not today or tonight. */
export function waitText({ provider, until }: Wait, now: number): string {
  const end = new Date(until);
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = `${two(end.getHours())}:${two(end.getMinutes())}`;
  const date = `${end.getFullYear()}-${two(end.getMonth() + 1)}-${two(end.getDate())} `;
  return `waiting for ${provider ?? 'its provider'} until ${until - now < DAY_MS ? '' : date}${time}`;
}
