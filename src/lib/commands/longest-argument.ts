/** Linux allows 128 KiB for one argument or variable, which must also hold what is around the command or value. */
const LONGEST_ARGUMENT = 130_000;

/** Returns why a text is too long for one argument or variable of a program; null if it is not. */
export function tooLongArgument(text: string, remedy: string): string | null {
  const { length } = new TextEncoder().encode(text);
  return length <= LONGEST_ARGUMENT
    ? null
    : `${length} bytes, more than the system's limit of ${LONGEST_ARGUMENT}; ${remedy}`;
}
