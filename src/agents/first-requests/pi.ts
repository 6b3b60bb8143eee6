import { unknownRequest } from '../../results/records/first-request.js';
import { countOf, fieldsOf, listOf } from '../streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** The first message of the model reports at its end what it was sent. A request that failed is sent again unchanged. */
export const piRequest = (): RequestReader =>
  requestReader((line) => {
    if (line['type'] === 'tool_execution_start')
      return unknownRequest('the first answer of its model reports no tokens');
    const message = fieldsOf(line['message']);
    if (line['type'] !== 'message_end' || message['role'] !== 'assistant') return null;
    const usage = fieldsOf(message['usage']);
    const isEmpty = listOf(message['content']).length === 0;
    const failed =
      (message['stopReason'] === 'error' || isEmpty) && (countOf(usage['totalTokens']) ?? 0) === 0;
    return failed ? null : requestOf(usage['input'], usage['cacheRead'], usage['cacheWrite']);
  });
