/** The longest timer of Node, 2^31 - 1 ms, in seconds. A longer one would fire at once. */
export const LONGEST_TIMER_SECS = 2_147_483;
