/** The longest timer that Node can hold, 2^31 - 1 ms, in seconds; a longer one would fire at once. */
export const LONGEST_TIMER_SECS = 2_147_483;
