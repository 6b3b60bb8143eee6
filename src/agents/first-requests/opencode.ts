import { unknownRequest } from '../../results/records/first-request.js';
import { fieldsOf } from '../streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** Each step is a request, and reports at its end what it was sent. */
export function opencodeRequest(): RequestReader {
  let steps = 0;
  return requestReader(({ type, part }) => {
    if (type === 'step_start') steps += 1;
    if (type !== 'step_finish') return null;
    // Something else has answered than the model, and OpenCode asks again.
    if (steps === 0 && fieldsOf(part)['reason'] === 'unknown') return null;
    if (steps !== 1) return unknownRequest('its first step did not finish');
    const tokens = fieldsOf(fieldsOf(part)['tokens']);
    const cache = fieldsOf(tokens['cache']);
    return requestOf(tokens['input'], cache['read'], cache['write']);
  });
}
