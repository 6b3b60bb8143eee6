import { z } from 'zod';
import { parseEndpoint } from './endpoint.js';
import { errorCode, errorMessage, jsonTemplate, matcher, metadata, stepContext } from './mock-fields.js';
import { STEPS_INTO, type Placeholders } from './template.js';

const PLACEHOLDERS: Placeholders = {
  known: new RegExp(
    String.raw`^(args\[\d+\]|input\.(path|query|headers)\.[\w$-]+(\[\d+\])?|input\.body${STEPS_INTO}|context\.(step|agent|scenario))$`,
  ),
  examples: ['args[0]', 'input.path.id', 'input.query.page', 'input.body.title', 'context.step'],
};

const endpoint = z
  .string({
    error: ({ input }) =>
      input === undefined ? 'missing: expected a method and a path, like GET /users/{id}' : undefined,
  })
  .superRefine((text, context) => {
    const parsed = parseEndpoint(text);
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.message });
  })
  .describe('Method and path, as in `GET /users/{id}`; `{id}` stands for any value');

const texts = z.array(z.string());
const textOrTexts = z.record(z.string(), z.union([z.string(), texts]));

/** A name and a value that HTTP can send; a line break would begin another header. */
const headers = z
  .record(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header, like content-type')
      .refine((name) => !/^(content-length|transfer-encoding|connection|trailer)$/i.test(name), {
        error: 'this header follows from the answer; leave it out',
      }),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected the value of a header: one line of Latin-1'),
  )
  .default({})
  .describe('Headers of the answer; content-type is that of JSON or text unless given');

const When = z.strictObject({
  args: texts.exactOptional().describe('All values of the path, exactly'),
  partialArgs: texts.exactOptional().describe('Values that the path must have, in any order'),
  input: z
    .strictObject({
      path: z.record(z.string(), z.string()).exactOptional().describe('Values of the path by name'),
      query: textOrTexts.exactOptional().describe('Parameters of the query; repeated ones are a list'),
      headers: z.record(z.string(), z.string()).exactOptional().describe('Headers; case does not matter'),
      body: z.json().exactOptional().describe('The body: JSON, of whose maps only these keys count, or text'),
    })
    .exactOptional()
    .describe('What the request must have'),
  context: stepContext,
  matcher,
});

/** A name in `when.input.path` that the endpoint does not have would never match. */
const knowsItsNames = z.superRefine<{ endpoint: string; when: { input?: { path?: object } } }>(
  ({ endpoint, when: { input } }, context) => {
    const parsed = parseEndpoint(endpoint);
    const names = parsed.ok ? parsed.endpoint.names : [];
    for (const name of Object.keys(input?.path ?? {}).filter((each) => !names.includes(each)))
      context.addIssue({
        code: 'custom',
        path: ['when', 'input', 'path', name],
        message: `{${name}} is not in the path; known: ${names.map((each) => `{${each}}`).join(', ') || 'none'}`,
      });
  },
);

/** A request over HTTP that is answered as the scenario says. */
export const EndpointMock = z
  .strictObject({
    endpoint,
    when: When.prefault({}).describe('Which requests it answers; all parts must be true'),
    status: z.int().min(200).max(599).default(200).describe('Status of the answer'),
    headers,
    response: jsonTemplate(PLACEHOLDERS)
      .exactOptional()
      .describe('Body of the answer: text, or anything else as JSON; without it, empty'),
    error: z
      .strictObject({
        code: errorCode,
        message: errorMessage,
        status: z.int().min(400).max(599).default(500).describe('Status of the answer'),
      })
      .exactOptional()
      .describe('Answers with `CODE: message`, instead of the response'),
    metadata,
  })
  .check(knowsItsNames);
export type EndpointMock = z.infer<typeof EndpointMock>;
