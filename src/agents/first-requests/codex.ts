import { unknownRequest } from '../../results/records/first-request.js';
import { fieldsOf, textOf } from '../streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/**
 * Reads the file of a session ("rollout"), which has a record for each answer. Its count of input includes what was read
 * from a cache or written to it. If a tool has been called before the first record, an earlier answer was cut off.
 */
export function codexRequest(): RequestReader {
  let turns = 0;
  return requestReader(({ type, payload }) => {
    const fields = fieldsOf(payload);
    const kind = textOf(fields['type']) ?? '';
    if (type === 'event_msg' && kind === 'task_started') turns += 1;
    const isCut = (type === 'response_item' && kind.endsWith('_output')) || turns > 1;
    if (isCut) return unknownRequest('the first answer of its model was cut off');
    if (type !== 'token_usage_record') return null;
    return requestOf(fieldsOf(fields['usage'])['input_tokens']);
  });
}
