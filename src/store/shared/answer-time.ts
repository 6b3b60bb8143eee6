import { StoreAway } from '#lib';

/** The time that a shared place may take for an object. Longer than several repetitions of a request take. */
const ANSWER_MS = 60_000;

/** Returns the result of some work. If that takes too long, stops waiting for it. @throws StoreAway */
export async function withinTime<T>(work: Promise<T>, message: string, ms = ANSWER_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreAway(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
