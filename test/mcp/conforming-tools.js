// The tools, resources and prompts of `conforming-server.js`. Their names and answers are those that the conformance
// suite expects.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
export const NAMES = 'io.modelcontextprotocol';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

/** @typedef {Record<string, any>} Any */
/**
 * @typedef {{ args: Any, params: Any, meta: Any, ask: (method: string, params: Any) => Promise<Any>, notify: (method:
 * string, params: Any) => void }} Call
 */

export class RpcError extends Error {
  constructor(/** @type {number} */ code, /** @type {string} */ message, /** @type {Any} */ data = {}) {
    super(message);
    Object.assign(this, { code, data });
  }
}

const text = (/** @type {string} */ said) => ({ type: 'text', text: said });
const said = (/** @type {string} */ words) => ({ content: [text(words)] });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (/** @type {string} */ uri, /** @type {Any} */ more) => ({
  type: 'resource',
  resource: { uri, ...more },
});
const form = (/** @type {string} */ message, /** @type {Any} */ properties, required = Object.keys(properties)) => ({
  message,
  requestedSchema: { type: 'object', properties, required },
});
const sampling = (/** @type {string} */ words) => ({
  messages: [{ role: 'user', content: text(words) }],
  maxTokens: 100,
});
const forms = {
  elicitation: (/** @type {string} */ key) => ({
    method: 'elicitation/create',
    params: form(`Which ${key}?`, { [key]: { type: 'string' } }),
  }),
  confirmation: {
    method: 'elicitation/create',
    params: form('Is it so?', { ok: { type: 'boolean' } }),
  },
  sampling: { method: 'sampling/createMessage', params: sampling('Say hello.') },
  roots: { method: 'roots/list', params: {} },
};
const sign = (/** @type {Any} */ state) => {
  const written = JSON.stringify(state);
  return `${written}.${createHmac('sha256', 'key of the test').update(written).digest('hex')}`;
};
/** @returns {Any | null} */
const signed = (/** @type {unknown} */ state) => {
  const written = String(state).replace(/\.[^.]*$/, '');
  return typeof state === 'string' && sign(parsed(written)) === state ? parsed(written) : null;
};
const parsed = (/** @type {string} */ written) => {
  try {
    return JSON.parse(written);
  } catch {
    return null;
  }
};
const required = (/** @type {Any} */ inputRequests, /** @type {Any | null} */ state = null) => ({
  resultType: 'input_required',
  inputRequests,
  ...(state === null ? {} : { requestState: sign(state) }),
});

/** A tool that wants inputs before it answers. */
const asking =
  (/** @type {Any} */ inputs, withState = false) =>
  (/** @type {Call} */ { params }) => {
    const { inputResponses = {}, requestState } = params;
    if (requestState !== undefined && signed(requestState) === null)
      throw new RpcError(-32602, 'the state is not one of this server');
    const isComplete = Object.keys(inputs).every((key) => isAnswer(inputResponses[key], inputs[key]));
    return isComplete
      ? said(`answers: ${JSON.stringify(inputResponses)}`)
      : required(inputs, withState ? { kind: 'asked' } : null);
  };
const isAnswer = (/** @type {any} */ answer, /** @type {Any} */ { method }) =>
  answer !== null &&
  typeof answer === 'object' &&
  (method === 'elicitation/create'
    ? ['accept', 'decline', 'cancel'].includes(answer.action)
    : method === 'roots/list'
      ? Array.isArray(answer.roots)
      : answer.role !== undefined);

const ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'One' },
      { const: 'value2', title: 'Two' },
    ],
  },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['One', 'Two'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'One' },
        { const: 'value2', title: 'Two' },
      ],
    },
  },
};
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const elicits =
  (/** @type {Any} */ params) =>
  async (/** @type {Call} */ { ask }) => {
    const { action, content } = await ask('elicitation/create', params);
    return said(`action=${action}, content=${JSON.stringify(content ?? {})}`);
  };

/** @type {Record<string, (call: Call) => Any | Promise<Any>>} */
export const TOOLS = {
  test_simple_text: () => said('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      resource('test://embedded-resource', {
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      }),
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      ...[text('Several types:'), image],
      resource('test://mixed-content-resource', {
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      }),
    ],
  }),
  test_tool_with_logging: async ({ notify }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      notify('notifications/message', { level: 'info', data });
      await sleep(50);
    }
    return said('done');
  },
  test_logging_tool: ({ meta, notify }) => {
    if (meta[`${NAMES}/logLevel`] !== undefined) notify('notifications/message', { level: 'info', data: 'x' });
    return said('done');
  },
  test_tool_with_progress: async ({ meta, notify }) => {
    const { progressToken = 0 } = meta;
    for (const progress of [0, 50, 100]) {
      notify('notifications/progress', { progressToken, progress, total: 100, message: `at ${progress}` });
      await sleep(50);
    }
    return said(String(progressToken));
  },
  test_streaming_elicitation: () => said('done'),
  test_error_handling: () => ({
    ...said('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_reconnection: () => said('done'),
  test_sampling: async ({ args, ask }) => {
    const { content } = await ask('sampling/createMessage', sampling(args['prompt']));
    return said(`LLM response: ${content?.text}`);
  },
  test_elicitation: ({ args, ...call }) =>
    elicits(form(args['message'], { response: { type: 'string' } }))({ args, ...call }),
  test_elicitation_sep1034_defaults: elicits(form('Look at the defaults', DEFAULTS, [])),
  test_elicitation_sep1330_enums: elicits(form('Choose', ENUMS, [])),
  json_schema_2020_12_tool: ({ args }) => said(JSON.stringify(args)),
  test_missing_capability: ({ meta }) => {
    if (meta[`${NAMES}/clientCapabilities`].sampling === undefined)
      throw new RpcError(-32021, 'sampling is needed', { requiredCapabilities: { sampling: {} } });
    return said('done');
  },
  test_input_required_result_elicitation: asking({ user_name: forms.elicitation('name') }),
  test_input_required_result_sampling: asking({ sample_request: forms.sampling }),
  test_input_required_result_list_roots: asking({ roots_request: forms.roots }),
  test_input_required_result_request_state: (call) => {
    const answer = asking({ confirm: forms.confirmation }, true)(call);
    return 'content' in answer ? said('state-ok') : answer;
  },
  test_input_required_result_tampered_state: (call) => {
    const answer = asking({ confirm: forms.confirmation }, true)(call);
    return 'content' in answer ? said('integrity-ok') : answer;
  },
  test_input_required_result_multiple_inputs: asking(
    { user_name: forms.elicitation('name'), greeting: forms.sampling, client_roots: forms.roots },
    true,
  ),
  test_input_required_result_multi_round: ({ params }) => {
    const round = signed(params['requestState'])?.['round'] ?? 0;
    const isAnswered = params['inputResponses']?.[`step${round}`] !== undefined;
    if (round === 2 && isAnswered) return said('both rounds are over');
    const next = round === 1 && isAnswered ? 2 : 1;
    return required({ [`step${next}`]: forms.elicitation(next === 1 ? 'name' : 'color') }, { round: next });
  },
  test_input_required_result_capabilities: (call) => {
    const known = call.meta[`${NAMES}/clientCapabilities`];
    return asking(
      {
        ...(known.elicitation === undefined ? {} : { elicit_input: forms.elicitation('value') }),
        ...(known.sampling === undefined ? {} : { sample_input: forms.sampling }),
      },
      true,
    )(call);
  },
};

const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
export const tools = Object.keys(TOOLS).map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: name === 'json_schema_2020_12_tool' ? SCHEMA_2020 : { type: 'object' },
}));
export const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', description: 'A text.', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'An image.', mimeType: 'image/png' },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'It changes.',
    mimeType: 'text/plain',
  },
];
const argument = (/** @type {string} */ name) => ({ name, description: `The ${name}.`, required: true });
export const PROMPTS = [
  { name: 'test_simple_prompt', description: 'Simple.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'Two.',
    arguments: [argument('arg1'), argument('arg2')],
  },
  { name: 'test_prompt_with_embedded_resource', description: 'One.', arguments: [argument('resourceUri')] },
  { name: 'test_prompt_with_image', description: 'An image.' },
  { name: 'test_input_required_result_prompt', description: 'Asks.' },
];
export function read(/** @type {string} */ uri) {
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  const known = RESOURCES.find((one) => one.uri === uri);
  if (id === undefined && known === undefined) throw new RpcError(-32602, 'Resource not found', { uri });
  if (id !== undefined)
    return {
      uri,
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  const { mimeType } = /** @type {Any} */ (known);
  return mimeType === 'image/png'
    ? { uri, mimeType, blob: PNG }
    : { uri, mimeType, text: 'This is the content of the static text resource.' };
}

export function prompt(/** @type {Call} */ call) {
  const { name, arguments: args = {} } = call.params;
  const messages = (/** @type {Any[]} */ ...contents) => ({
    messages: contents.map((content) => ({ role: 'user', content })),
  });
  switch (name) {
    case 'test_simple_prompt':
      return messages(text('This is a simple prompt for testing.'));
    case 'test_prompt_with_arguments':
      return messages(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`));
    case 'test_prompt_with_embedded_resource':
      return messages(resource(args.resourceUri, { mimeType: 'text/plain', text: 'embedded' }), text('Read it.'));
    case 'test_prompt_with_image':
      return messages(image, text('Look at it.'));
    case 'test_input_required_result_prompt': {
      const answer = asking({ user_context: forms.elicitation('context') })(call);
      return 'content' in answer ? messages(/** @type {Any} */ (answer).content[0]) : answer;
    }
    default:
      throw new RpcError(-32602, `there is no prompt ${name}`);
  }
}
