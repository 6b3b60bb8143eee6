/** A wait for a provider that did not serve a request. */
export interface Wait {
  /** Absent if it is unknown. */
  provider?: string;
  /** ms since the epoch */
  until: number;
  /** The reason why the request was not served. Absent if it is unknown. */
  message?: string;
}

const DAY_MS = 86_400_000;

/** Formats a wait: "waiting for anthropic until 14:05", in the reader's time zone; from 24 hours on, with the date. */
export function waitText({ provider, until }: Wait, now: number): string {
  const end = new Date(until);
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = `${two(end.getHours())}:${two(end.getMinutes())}`;
  const date = `${end.getFullYear()}-${two(end.getMonth() + 1)}-${two(end.getDate())} `;
  return `waiting for ${provider ?? 'its provider'} until ${until - now < DAY_MS ? '' : date}${time}`;
}

/** The same with the reason, which names the address or what is not set where the provider is unknown. */
export const explainedWait = (wait: Wait, now: number): string =>
  wait.provider === undefined && (wait.message ?? '') !== ''
    ? `${waitText(wait, now)} (${wait.message ?? ''})`
    : waitText(wait, now);
