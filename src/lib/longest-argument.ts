/** Linux takes 128 KiB of one argument or variable; what is around the text of a command or value has to fit too. */
const LONGEST_ARGUMENT = 130_000;

/** What is wrong with a text that is to be one argument or variable of a program; null where it fits. */
export function tooLongArgument(text: string, remedy: string): string | null {
  const { length } = new TextEncoder().encode(text);
  return length <= LONGEST_ARGUMENT
    ? null
    : `${length} bytes, more than the system's limit of ${LONGEST_ARGUMENT}; ${remedy}`;
}
