/** The beginning of a text, with an ellipsis where something was left out: redaction looks for secrets cut there. */
export function beginningOf(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The end of a text, marked in the same way. */
export function endOf(text: string, max: number): string {
  return text.length <= max ? text : `…${text.slice(-max).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
