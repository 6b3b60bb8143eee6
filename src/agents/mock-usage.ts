import { type EventBody, NO_USAGE } from '#model';
import type { MockStep } from './mock-schema.js';

type Usage = Extract<MockStep, { usage: unknown }>['usage'];

/** The event of a step `usage`. A step that names tokens names all of them, so that input or output that it omits is 0. */
export function usageOfStep({ cost_usd, ...tokens }: Usage): EventBody {
  const required = Object.keys(tokens).length === 0 ? {} : { input: 0, output: 0 };
  return { type: 'usage', ...NO_USAGE, ...required, ...tokens, cost_usd: cost_usd ?? null };
}
