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

/* Terminal sequences (OSC, DCS and similar, CSI, short ones), then all other control characters except tab and newline,
   and the characters that reverse the direction of text. Each alternative is linear. */
const ESCAPES =
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\u009d\n]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b[PX^_])[^\u001b\n]*\u001b\\|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]|[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const SUSPECT = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Returns what a terminal shows of a line that carriage returns have overwritten. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

/** Returns text as a terminal shows it, without escapes, and without control characters except tab and newline. */
export function plainText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.split('\n').map(lastWritten).join('\n').replace(ESCAPES, '');
}
