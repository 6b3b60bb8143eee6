/** The beginning of a text, with an ellipsis where something was left out: redaction looks for secrets cut there. */
export function beginningOf(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The end of a text, marked in the same way. */
export function endOf(text: string, max: number): string {
  return text.length <= max ? text : `…${text.slice(-max).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** Beginning and end of a text, `max` characters in all, with a line between them that says how much is left out. */
export function withoutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const note = `[${text.length - 2 * half} of ${text.length} characters are left out here]`;
  return `${beginningOf(text, half)}\n${note}\n${endOf(text, half)}`;
}
