/** The items of a conversation that are on the page, of which there may be tens of thousands. */
export interface Part {
  from: number;
  to: number;
}

/** Items that are shown at first. */
const SHOWN = 300;
/** Items that are added at once. */
const ADDED = 150;
/** More are never on the page. */
const MOST = 600;
/** Items before the one that the address points to. */
const BEFORE = 50;

/** The items around one; the beginning if it is -1, the end if it is the number of all. */
export function firstPart(count: number, wanted: number): Part {
  const from = Math.max(0, wanted >= count ? count - SHOWN : wanted - BEFORE);
  // Without an end, so that items that are added to a short conversation are shown.
  return { from, to: from + SHOWN };
}

/** Moves the part towards the beginning. */
export const earlierPart = ({ from, to }: Part): Part => {
  const begin = Math.max(0, from - ADDED);
  return { from: begin, to: Math.min(to, begin + MOST) };
};

/** Moves the part towards the end. */
export const laterPart = ({ from, to }: Part, count: number): Part => {
  const end = Math.min(count, to + ADDED);
  return { from: Math.max(from, end - MOST), to: end };
};
