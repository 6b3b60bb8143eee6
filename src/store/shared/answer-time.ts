/** How long a request for an object may take, including its repetitions. */
const ANSWER_MS = 60_000;

/** Returns the result of some work. Rejects with a message if it takes too long; the work then continues unobserved. */
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
