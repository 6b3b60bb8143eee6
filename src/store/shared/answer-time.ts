/** How long a shared place may take for an object. Longer than several repetitions of a request take. */
const ANSWER_MS = 60_000;

/** Returns the result of some work. Rejects with a message if that takes too long, and then leaves the work to itself. */
export async function withinTime<T>(work: Promise<T>, message: string, ms = ANSWER_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
