/** Formats an estimated duration without false precision: "about 40 s", "about 9 min", "about 2 h 10 min". */
export function formatAbout(secs: number): string {
  const tens = Math.max(1, Math.ceil(secs / 10));
  if (tens < 9) return `about ${tens * 10} s`;
  const minutes = Math.max(2, Math.round(secs / 60));
  if (minutes < 60) return `about ${minutes} min`;
  const tenMinutes = Math.round(minutes / 10);
  const [hours, rest] = [Math.floor(tenMinutes / 6), (tenMinutes % 6) * 10];
  return `about ${hours} h${rest === 0 || hours >= 10 ? '' : ` ${rest} min`}`;
}
