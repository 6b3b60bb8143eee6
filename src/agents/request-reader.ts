import { type Json, sumOfCounts } from '#lib';
import { type FirstRequest, unknownRequest } from '#model';
import { wholeNumberOf, fieldsOfLine, type Fields } from './streams/json-fields.js';

/** Finds the size of the first request in lines of JSON. */
export interface RequestReader {
  /** Returns it as soon as it is certain, or certain to remain unknown. Null before that. */
  line(text: string): FirstRequest | null;
}

/** Reads the lines that are objects. */
export const requestReader = (read: (fields: Fields) => FirstRequest | null): RequestReader => ({
  line(text) {
    const fields = fieldsOfLine(text);
    return fields === null ? null : read(fields);
  },
});

/**
 * Adds up the parts of a request. Some providers report zeros, or leave counts out, where they do not count: then
 * nothing is known.
 */
export function requestOf(...parts: (Json | undefined)[]): FirstRequest {
  const tokens = sumOfCounts(parts.map(wholeNumberOf));
  return tokens === null || tokens === 0 ? unknownRequest('the provider has not counted its tokens') : { tokens };
}
