import { MARKER, MIN_LENGTH } from './redact-exact.js';

/** What messages have in place of the part that was left out. */
const CUT = '…';

interface Place {
  value: string;
  /** Where in the value the window begins. */
  at: number;
}

/**
 * Masks what a cut has left of a value: messages are shortened before they are redacted, and nine tenths of a key are
 * as good as the key. Before an ellipsis that is a value's beginning, after one its end; less than the shortest secret
 * is left alone.
 */
export function createCutMask(values: () => Iterable<string>): (text: string) => string {
  // Made when it is needed: most redactors never meet a cut.
  let windows: Map<string, Place[]> | undefined;
  const placesOf = (window: string): Place[] => (windows ??= windowsOf(values())).get(window) ?? [];
  /** How many characters at the end of `text` are the beginning of a value. */
  const beginningIn = (text: string): number =>
    longest(placesOf(text.slice(-MIN_LENGTH)), ({ value, at }) =>
      text.endsWith(value.slice(0, at + MIN_LENGTH)) ? at + MIN_LENGTH : 0,
    );
  /** How many characters at the start of `text` are the end of a value. */
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

/** Looked up by the characters next to a cut, so that many cuts and long values cost little. */
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
