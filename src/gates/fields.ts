import { z } from 'zod';
import { checkedText, inSchema, messageIn, nonBlank, seconds, text } from '#input';
import { compilePattern, workspacePathProblem } from '#lib';
import { parseAssertion } from './json/json-assertion.js';
import { compileJsonPath } from './json/json-path.js';

/** The fields that every gate has besides its type. */
export const commonFields = {
  name: z.string().optional().describe('Shown in reports, beside the type'),
  timeout_secs: seconds.default(30).describe('Time limit in seconds; the gate fails if it is exceeded'),
};

/** The text to look for. It must not be empty, because every text contains the empty text. */
export const substring = text('the text to look for')
  .min(1, 'empty: expected the text to look for')
  .describe('Text to look for: exactly as written, case-sensitive');

/** The path of a file in the checks folder. */
export const checksPath = inSchema(
  checkedText('the path of a file in the checks folder', (value) =>
    value.trim() === '' || workspacePathProblem(value) !== null
      ? 'expected the path of a file in the checks folder, like "expected.csv"'
      : null,
  ).describe('File in the checks folder of the scenario'),
  /^(?!\/|(\.?\/)*\.\.(\/|$))[\s\S]*\S/,
);

export const toolName = inSchema(
  checkedText('the name of a tool', (value) =>
    value.trim() === '' ? 'blank: expected the name of a tool' : messageIn(compilePattern(value)),
  ).describe('Name of the tool, as the agent calls it, or an RE2 pattern for the whole name'),
  /\S/,
);

/** The server of a gate about MCP. */
export const mcpServer = nonBlank('the name of an MCP server')
  .optional()
  .describe('Name of the server in the subject; all servers if omitted');

/** The skill of a gate on use. */
export const skillName = nonBlank('the name of a skill')
  .optional()
  .describe('Name of a skill of the subject, of a plugin as in office:stamp; without it, any of them');

/** A number of times that something may happen. */
export const count = z.int().min(0);

export const jsonPath = inSchema(
  checkedText('a JSON path like $.items[0].name', (value) => messageIn(compileJsonPath(value))).describe(
    'JSON path (RFC 9535), like $.items[0].name; $ is the whole value',
  ),
  /^\$/,
);

export const jsonAssertion = inSchema(
  checkedText('an assertion like "exists" or "equals 3"', (value) => messageIn(parseAssertion(value))).describe(
    'exists | equals V | contains S | matches RE | len OP N | OP N, where OP is == != > >= < <=',
  ),
  /^\s*(exists|(equals|contains|matches)\s+\S[\s\S]*|len\s*([=!<>]=|[<>])\s*\d+|([=!<>]=|[<>])\s*-?\d+(\.\d+)?([eE][+-]?\d+)?)\s*$/,
);
