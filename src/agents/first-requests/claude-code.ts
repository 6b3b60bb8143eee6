import { fieldsOf } from '../streams/json-fields.js';
import { SYNTHETIC } from '../streams/claude-code.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** The first message of the model reports what it was sent. Messages of subagents are not part of the session. */
export const claudeCodeRequest = (): RequestReader =>
  requestReader((line) => {
    const message = fieldsOf(line['message']);
    if (line['type'] !== 'assistant' || (line['parent_tool_use_id'] ?? null) !== null) return null;
    if (message['model'] === SYNTHETIC) return null;
    const usage = fieldsOf(message['usage']);
    return requestOf(
      usage['input_tokens'],
      usage['cache_read_input_tokens'] ?? 0,
      usage['cache_creation_input_tokens'] ?? 0,
    );
  });
