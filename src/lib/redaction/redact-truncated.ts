import { MARKER, MIN_LENGTH } from './redact-exact.js';

/** What messages contain in place of a part that was left out. */
const CUT = '…';

interface Place {
  value: string;
  /** The index in the value at which the window begins. */
  at: number;
}

/**
 * Creates a function that masks what remains of a value after a cut: messages are shortened before they are redacted,
 * and nine tenths of a key are as good as the key. Before an ellipsis it masks the beginning of a value, after one the
 * end. Remains that are shorter than the shortest secret are not masked.
 */
export function createCutMask(values: () => Iterable<string>): (text: string) => string {
  // Created on demand, because most redactors never see a cut text.
  let windows: Map<string, Place[]> | undefined;
  const placesOf = (window: string): Place[] => (windows ??= windowsOf(values())).get(window) ?? [];
  /** Returns how many characters at the end of `text` are the beginning of a value. */
  const beginningIn = (text: string): number =>
    longest(placesOf(text.slice(-MIN_LENGTH)), ({ value, at }) =>
      text.endsWith(value.slice(0, at + MIN_LENGTH)) ? at + MIN_LENGTH : 0,
    );
  /** Returns how many characters at the start of `text` are the end of a value. */
  const endIn = (text: string): number =>
    longest(placesOf(text.slice(0, MIN_LENGTH)), ({ value, at }) =>
      text.startsWith(value.slice(at)) ? value.length - at : 0,
    );
  return (text) => {
    if (!text.includes(CUT)) return text;
    return text
      .split(CUT)
      .map((part, index, parts) => {
        const start = index === 0 ? 0 : endIn(part);
        const rest = part.slice(start);
        const end = index === parts.length - 1 ? 0 : beginningIn(rest);
        const middle = rest.slice(0, rest.length - end);
        return (start > 0 ? MARKER : '') + middle + (end > 0 ? MARKER : '');
      })
      .join(CUT);
  };
}

/** Indexes the values by the characters next to a cut, so that many cuts and long values take little time. */
function windowsOf(values: Iterable<string>): Map<string, Place[]> {
  const windows = new Map<string, Place[]>();
  for (const value of new Set(values)) {
    for (let at = 0; at + MIN_LENGTH <= value.length; at++) {
      const window = value.slice(at, at + MIN_LENGTH);
      const places = windows.get(window);
      if (places === undefined) windows.set(window, [{ value, at }]);
      else places.push({ value, at });
    }
  }
  return windows;
}

const longest = (places: readonly Place[], lengthAt: (place: Place) => number): number =>
  places.reduce((most, place) => Math.max(most, lengthAt(place)), 0);
