import { z } from 'zod';
import { command, didYouMean, nonBlank, quote, workspaceFile } from '#input';
import { Count, Usd } from '#model';

const ToolCall = z.strictObject({
  id: z.string().exactOptional().describe('Id that its result refers to'),
  name: nonBlank('the name of the tool').describe('Name of the tool'),
  input: z.json().exactOptional().describe('Arguments of the call, any JSON'),
  command: z.string().exactOptional().describe('The shell command that the call stands for'),
});

const ToolResult = z.strictObject({
  id: z.string().exactOptional().describe('Id of the call; by default the last one'),
  exit_code: z.int().exactOptional().describe('Exit status of the command'),
  is_error: z.boolean().exactOptional().describe('Whether it failed; by default, whether exit_code is not 0'),
  output: z.string().exactOptional().describe('Output of the tool'),
});

const tokens = Count.exactOptional();
const Usage = z.strictObject({
  input: tokens.describe('Input tokens, without those from a cache; 0 if only other tokens are given'),
  output: tokens.describe('Output tokens, without reasoning; 0 if only other tokens are given'),
  reasoning: tokens.describe('Reasoning tokens'),
  cache_read: tokens.describe('Tokens read from the cache'),
  cache_write: tokens.describe('Tokens written to the cache'),
  cost_usd: Usd.exactOptional().describe('Cost in US dollars'),
});

const McpCall = z.strictObject({
  server: nonBlank('the name of the server').describe('Name of an MCP server under test'),
  tool: nonBlank('the name of the tool').describe('Name of its tool'),
  args: z.record(z.string(), z.json()).default({}).describe('Arguments of the call'),
});

const steps = [
  z.strictObject({
    write: z
      .strictObject({ path: workspaceFile, content: z.string().describe('Content of the file') })
      .describe('Writes a file of the workspace, and reports a call of the tool `write`'),
  }),
  z.strictObject({
    run: command.describe('Runs this shell command in the workspace, and reports the call and its result'),
  }),
  z.strictObject({ say: z.string().describe('A message of the assistant') }),
  z.strictObject({ wait_secs: z.number().min(0).describe('Waits this many seconds') }),
  z.strictObject({
    mcp: McpCall.describe('Calls a tool of an MCP server under test, and reports the call and its result'),
  }),
  z.strictObject({ tool_call: ToolCall.describe('Reports a call, and does nothing else') }),
  z.strictObject({
    tool_result: ToolResult.describe(
      'Reports the result of a call; by default, is_error is whether exit_code is not 0',
    ),
  }),
  z.strictObject({ usage: Usage.describe('Reports the tokens and US dollars of a model call') }),
  z.strictObject({ exit: z.int().min(0).max(255).describe('Ends with this exit status, 0 to 255') }),
] as const;

const stepNames = steps.flatMap(({ shape }) => Object.keys(shape));

/** One step of the mock agent: a map with exactly one key, the name of the step. */
export const MockStep = z.union(steps, {
  error: ({ input }) => {
    const isMap = typeof input === 'object' && input !== null && !Array.isArray(input);
    const given = isMap ? Object.keys(input) : [];
    const known = given.filter((key) => stepNames.includes(key));
    if (known.length === 1) return undefined;
    const expected = `expected a map with exactly one of ${stepNames.join(', ')}`;
    if (known.length > 1) return `${expected}; got ${known.join(' and ')}; write them as separate steps`;
    if (given.length === 0) return expected;
    const hint = given.map((key) => didYouMean(key, stepNames)).find((near) => near !== null);
    return `${expected}; got ${given.map(quote).join(', ')}${hint === undefined ? '' : `; ${hint}`}`;
  },
});
export type MockStep = z.infer<typeof MockStep>;

/** The script of the agent `mock`. Without steps, the agent reports that it did nothing and completes. */
export const MockScript = z.strictObject({
  steps: z.array(MockStep).default([]).describe('What it does, in this order'),
});
export type MockScript = z.infer<typeof MockScript>;
