import { fieldsOf } from '../streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/**
 * Reads the file of a session, in which a message of the model has the tokens of its request. Its count of input includes what was
 * read from a cache. A first message without tokens may be given those of a later request, so it must have them when it is
 * first written.
 */
export const geminiRequest = (): RequestReader =>
  requestReader(({ type, tokens }) => (type === 'gemini' ? requestOf(fieldsOf(tokens)['input']) : null));
