import { z } from 'zod';
import { errorCode, errorMessage, jsonTemplate, matcher, metadata, stepContext } from './mock-fields.js';
import { STEPS_INTO, type Placeholders } from './template.js';

const PLACEHOLDERS: Placeholders = {
  known: new RegExp(String.raw`^(input${STEPS_INTO}|context\.(step|agent|scenario))$`),
  examples: ['input.id', 'input.filter.name', 'context.step'],
};

const name = (what: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? `missing: expected ${what}` : undefined) })
    .min(1, `expected ${what}`);

const When = z.strictObject({
  input: z
    .record(z.string(), z.json())
    .exactOptional()
    .describe('Arguments that the call must have; of maps only these keys count'),
  context: stepContext,
  matcher,
});

/** A tool of an MCP server under test that answers as the scenario says. */
export const McpMock = z.strictObject({
  mcp: name('the name of an MCP server').describe('Name of the server in the subject'),
  tool: name('the name of a tool').describe('Name of its tool'),
  definition: z
    .strictObject({
      description: z.string().exactOptional().describe('Description of the tool, which the agent reads'),
      input_schema: z.record(z.string(), z.json()).default({ type: 'object' }).describe('JSON Schema of the arguments'),
    })
    .exactOptional()
    .describe('The tool; a server of which all mocked tools have a definition is not started'),
  when: When.prefault({}).describe('Which calls it answers; all parts must be true'),
  response: jsonTemplate(PLACEHOLDERS)
    .exactOptional()
    .describe('The result: text as it is, anything else as JSON; without it, empty'),
  error: z
    .strictObject({ code: errorCode, message: errorMessage })
    .exactOptional()
    .describe('Fails with `CODE: message`, instead of the response'),
  metadata,
});
export type McpMock = z.infer<typeof McpMock>;
