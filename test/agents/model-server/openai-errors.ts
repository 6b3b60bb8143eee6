import type { ErrorAnswer } from './protocol.js';
import type { ErrorKind, Refusal } from './script.js';

const ERRORS: Record<ErrorKind, [status: number, type: string, code: string | null, message: string]> = {
  bad_request: [400, 'invalid_request_error', null, "Invalid value for 'input'."],
  context_length: [
    400,
    'invalid_request_error',
    'context_length_exceeded',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  bad_key: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  forbidden: [403, 'invalid_request_error', null, 'You are not allowed to sample from this model'],
  model_not_found: [
    404,
    'invalid_request_error',
    'model_not_found',
    "The model 'MODEL' does not exist or you do not have access to it.",
  ],
  rate_limit: [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for MODEL on requests per min (RPM).'],
  usage_limit: [429, 'usage_limit_reached', null, 'The usage limit has been reached'],
  server_error: [500, 'server_error', null, 'The server had an error while processing your request.'],
  overloaded: [503, 'server_error', 'server_is_overloaded', 'The server is currently overloaded.'],
};

/** Errors of both of OpenAI's protocols. A usage limit is the limit of a ChatGPT plan. */
export function refuseAsOpenAi(refusal: Refusal, model: string, now: number): ErrorAnswer {
  const [status, type, code, usual] = ERRORS[refusal.error];
  const message = (refusal.message ?? usual).replace('MODEL', model);
  const wait = refusal.resets_in_secs ?? 3600;
  const limit =
    refusal.error === 'usage_limit' ? { plan_type: 'plus', resets_at: now + wait, resets_in_seconds: wait } : {};
  return { status, body: { error: { message, type, param: null, code, ...limit } } };
}
