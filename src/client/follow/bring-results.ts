import { pullResults, sharedProjectOf } from '#store';

const EVERY_MS = 2000;
/** Looking for results takes longer the more there are. At most a tenth of the time is spent on it. */
const SHARE = 10;

interface ResultsPuller {
  /** Looks for new results in the background, unless it did so a moment ago. Warns if that is impossible. */
  lookNow: () => void;
  /** Brings all results that there are. */
  bringAll: () => Promise<void>;
}

/** Brings the results of a sweep from its hosts into the mirror. Does nothing for results that are not shared. */
export function bringResults(resultsPath: string, sweep: string, warn: (text: string) => void): ResultsPuller {
  let nextAt = 0;
  let isLooking = false;
  let warned = '';
  const bringAll = async (): Promise<void> => {
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project, sweep);
  };
  const look = async (): Promise<void> => {
    const begunAt = performance.now();
    try {
      await bringAll();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== warned) warn(`the shared results cannot be read: ${reason}; trying again`);
      warned = reason;
    }
    const now = performance.now();
    nextAt = now + Math.max(EVERY_MS, SHARE * (now - begunAt));
    isLooking = false;
  };
  return {
    lookNow: () => {
      if (isLooking || performance.now() < nextAt) return;
      isLooking = true;
      void look();
    },
    bringAll,
  };
}
