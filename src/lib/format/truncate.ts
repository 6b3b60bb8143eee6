/** Returns the beginning of a text. If it is cut, it ends with an ellipsis, where redaction looks for cut secrets. */
export function beginningOf(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns the end of a text, marked in the same way. */
export function endOf(text: string, max: number): string {
  return text.length <= max ? text : `…${text.slice(-max).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/**
 * Returns the beginning and the end of a text, `max` characters in all, with a note about the missing part between
 * them.
 */
export function withoutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const note = `[${text.length - 2 * half} of ${text.length} characters omitted]`;
  return `${beginningOf(text, half)}\n${note}\n${endOf(text, half)}`;
}
