import { z } from 'zod';
import { command, nonBlank } from '../gates/fields.js';
import { didYouMean, quote } from './phrases.js';
import { workspaceFile } from './fields.js';

const ToolCall = z.strictObject({
  id: z.string().exactOptional(),
  name: nonBlank('the name of the tool'),
  input: z.json().exactOptional(),
  command: z.string().exactOptional(),
});

const ToolResult = z.strictObject({
  id: z.string().exactOptional(),
  exit_code: z.int().exactOptional(),
  is_error: z.boolean().exactOptional(),
  output: z.string().exactOptional(),
});

const tokens = z.int().min(0).exactOptional();
const Usage = z.strictObject({
  input: tokens,
  output: tokens,
  reasoning: tokens,
  cache_read: tokens,
  cache_write: tokens,
  cost_usd: z.number().min(0).exactOptional(),
});

const steps = [
  z.strictObject({ write: z.strictObject({ path: workspaceFile, content: z.string() }) }),
  z.strictObject({ run: command }),
  z.strictObject({ say: z.string() }),
  z.strictObject({ wait_secs: z.number().min(0) }),
  z.strictObject({ tool_call: ToolCall }),
  z.strictObject({ tool_result: ToolResult }),
  z.strictObject({ usage: Usage }),
  z.strictObject({ exit: z.int().min(0).max(255) }),
] as const;

const stepNames = steps.flatMap(({ shape }) => Object.keys(shape));

/** What the mock agent does next: a map with exactly one key, the name of the step. */
export const MockStep = z.union(steps, {
  error: ({ input }) => {
    const isMap = typeof input === 'object' && input !== null && !Array.isArray(input);
    const given = isMap ? Object.keys(input) : [];
    const known = given.filter((key) => stepNames.includes(key));
    if (known.length === 1) return undefined;
    const expected = `expected a map with exactly one of ${stepNames.join(', ')}`;
    if (known.length > 1) return `${expected}; got ${known.join(' and ')}: make them steps of their own`;
    if (given.length === 0) return expected;
    const hint = given.map((key) => didYouMean(key, stepNames)).find((near) => near !== null);
    return `${expected}; got ${given.map(quote).join(', ')}${hint === undefined ? '' : `; ${hint}`}`;
  },
});
export type MockStep = z.infer<typeof MockStep>;

/** The script of the agent `mock`. Without steps it says that it did nothing, and completes. */
export const Mock = z.strictObject({ steps: z.array(MockStep).default([]) });
export type Mock = z.infer<typeof Mock>;
