import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { modelAnswersOf, gateSubject, GateSpec, gateTypes, isQuickGate } from '../../src/gates/all-gates.js';
import { errorsOf } from './real-context.js';

const valid: Record<GateSpec['type'], object> = {
  command_succeeds: { command: 'true' },
  command_exit_code_is: { command: 'true' },
  command_output_contains: { command: 'true', substring: 'x' },
  command_output_matches: { command: 'true', pattern: 'x' },
  command_json_path: { command: 'true', path: '$.x', assertion: 'exists' },
  file_exists: { path: 'notes.md' },
  file_contains: { path: 'notes.md', substring: 'x' },
  file_matches: { path: 'notes.md', pattern: 'x' },
  file_equals: { path: 'notes.md', expected: 'notes.md' },
  no_transcript_errors: {},
  command_called: { pattern: 'x' },
  command_not_called: { pattern: 'x' },
  tool_called: { tool: 'Read' },
  mcp_tool_called: { tool: 'read_file' },
  mcp_tool_not_called: { tool: 'read_file' },
  mcp_no_errors: {},
  skill_used: {},
  skill_not_used: {},
  subagent_used: { subagent: 'office:reviewer' },
  hook_ran: { hook: 'PostToolUse' },
  trajectory_contains_action: { action: 'READ' },
  step_count: { max_steps: 3 },
  max_commands: { max: 3 },
  max_cost_usd: { max: 0.5 },
  max_tokens: { max: 1000 },
  token_count: { max_total_tokens: 1000 },
  execution_time: { max_duration_ms: 1000 },
  response_contains: { substring: 'x' },
  string_contains: { value: 'x' },
  response_matches: { pattern: 'x' },
  regex_match: { pattern: 'x' },
  llm_judge: { prompt: 'It is polite.' },
  conversation_length: { max_turns: 3 },
  conversation_flow: { required_patterns: ['question_then_answer'] },
  user_satisfaction: {},
  context_retention: { test_memory_of: ['milk'] },
  script: { command: 'true', description: 'all is well' },
  agent_script: { script: 'check-coverage' },
  verifier: {},
  step_rewards: {},
};
const all = Object.entries(valid).map(([type, fields]) => ({ type, ...fields }));

it('the registry has all gates', () => {
  expect([...gateTypes].sort()).toEqual(Object.keys(valid).sort());
});

it('a spec is a union that its type discriminates', () => {
  expectTypeOf<Extract<GateSpec, { type: 'file_contains' }>>().toEqualTypeOf<{
    type: 'file_contains';
    name?: string | undefined;
    timeout_secs: number;
    path: string;
    substring: string;
  }>();
});

it('every gate is valid with its required fields and has a timeout of 30 s, or 300 s if it may ask a model', () => {
  const asking = ['llm_judge', 'conversation_flow', 'user_satisfaction', 'context_retention'];
  for (const gate of all)
    expect(GateSpec.parse(gate)).toMatchObject({
      ...gate,
      timeout_secs: asking.includes(gate.type) ? 300 : 30,
    });
});

it('tells which gates ask a model, and how often', () => {
  const asked = all.flatMap((gate) => {
    const count = modelAnswersOf(GateSpec.parse({ ...gate }));
    return count === 0 ? [] : [[gate.type, count]];
  });
  expect(asked).toEqual([
    ['llm_judge', 1],
    ['conversation_flow', 1],
    ['user_satisfaction', 1],
    ['context_retention', 1],
  ]);
  expect(modelAnswersOf(GateSpec.parse({ type: 'llm_judge', prompt: 'x', votes: 3 }))).toBe(3);
  const counting = { type: 'user_satisfaction', measurement_method: 'keyword_analysis' };
  expect(modelAnswersOf(GateSpec.parse(counting))).toBe(0);
});

it('a gate is quick unless it runs a command or a script, or asks a model', () => {
  const slow = all.filter((gate) => !isQuickGate(GateSpec.parse(gate))).map(({ type }) => type);
  expect(slow).toEqual([
    ...['command_succeeds', 'command_exit_code_is', 'command_output_contains', 'command_output_matches'],
    ...['command_json_path'],
    ...['llm_judge', 'conversation_flow', 'user_satisfaction', 'context_retention'],
    ...['script', 'agent_script', 'verifier'],
  ]);
});

it('every gate has a name and a timeout of its own, and a subject of one line', () => {
  for (const gate of all) {
    const spec = GateSpec.parse({ ...gate, name: 'first', timeout_secs: 1.5 });
    expect(spec).toMatchObject({ name: 'first', timeout_secs: 1.5 });
    expect(gateSubject(spec)).toMatch(/^\S.*$/);
  }
  expect(gateSubject(GateSpec.parse({ type: 'command_succeeds', command: 'a\n  b\n' }))).toBe('a b');
});

it('every gate refuses unknown keys and timeouts that are not positive', () => {
  for (const gate of all) {
    expect(errorsOf({ ...gate, surprise: 1 })).toHaveLength(1);
    expect(errorsOf({ ...gate, timeout_secs: 0 })).toHaveLength(1);
  }
});

it('every gate says which required field is missing', () => {
  for (const [type, fields] of Object.entries(valid)) {
    for (const field of Object.keys(fields)) {
      const errors = errorsOf({ type, ...fields, [field]: undefined });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(new RegExp(`^${field}: missing: expected `));
    }
  }
});

it('an unknown gate names all gates', () => {
  expect(errorsOf({ type: 'file_exist', path: 'x' })).toEqual([
    `type: unknown gate "file_exist": expected ${gateTypes.join(' | ')}`,
  ]);
  expect(errorsOf({ path: 'x' })[0]).toMatch(/^type: missing: expected command_succeeds/);
  expect(errorsOf('file_exists')).toEqual([': expected a gate: a map with a type and its fields']);
});

it.each([
  [{ type: 'command_succeeds', command: ' \n' }, /^command: blank: expected a shell command/],
  [{ type: 'script', command: '', description: 'x' }, /^command: blank/],
  [{ type: 'script', command: 'x', description: ' ' }, /^description: blank: expected a sentence/],
  [{ type: 'file_exists', path: '/etc/passwd' }, /^path: "\/etc\/passwd" is absolute: write a path relative/],
  [{ type: 'file_contains', path: 'a/../../b', substring: 'x' }, /^path: "a\/..\/..\/b" leaves the workspace/],
  [{ type: 'file_matches', path: 'a', pattern: 'a(b' }, /^pattern: invalid pattern: missing closing \)/],
  [{ type: 'command_output_matches', command: 'x', pattern: 'a(?=b)' }, /RE2 has no look-ahead/],
  [
    { ...valid.command_json_path, type: 'command_json_path', path: 'x' },
    /^path: "x" is not a JSON path: it must begin/,
  ],
  [
    { ...valid.command_json_path, type: 'command_json_path', assertion: 'is 3' },
    /^assertion: unknown assertion "is 3"/,
  ],
  [
    { type: 'file_contains', path: 'a', substring: 3 },
    /^substring: expected the text to look for, as text \(put it in q/,
  ],
  [{ type: 'tool_called', tool: ' ' }, /^tool: blank: expected the name of a tool/],
  [{ type: 'tool_called', tool: 'a(b' }, /^tool: invalid pattern/],
  [{ type: 'mcp_tool_called' }, /^tool: missing: expected the name of a tool/],
  [{ type: 'mcp_tool_called', tool: 'a', min: 0 }, /^max: missing: .* min: 0 alone always passes/],
  [{ type: 'mcp_tool_called', tool: 'a', args_schema: { typ: 'object' } }, /^args_schema: unknown keyword: "typ"/],
  [{ type: 'mcp_no_errors', allow: -1 }, /^allow: /],
  [{ type: 'tool_called', tool: 'Read', min: 0 }, /^min: expected a number of at least 1/],
  [{ type: 'command_called', pattern: 'x', min: 0 }, /^max: missing: .* min: 0 alone always passes/],
  [{ type: 'command_called', pattern: 'x', min: 3, max: 2 }, /^max: expected a number of at least min \(3\)$/],
  [{ type: 'command_called', pattern: 'x', max: 0 }, /^max: .* for "never" use command_not_called$/],
  [{ type: 'command_exit_code_is', command: 'x', expected_code: 256 }, /^expected_code: expected a number/],
  [{ type: 'string_contains', value: '' }, /^value: empty: expected the text to look for/],
  [{ type: 'regex_match', pattern: 'a)(b' }, /^pattern: invalid pattern/],
  [{ type: 'trajectory_contains_action', action: ' ' }, /^action: blank: expected the name of an action/],
  [{ type: 'step_count' }, /^max_steps: missing: expected a number here, or min_steps$/],
  [{ type: 'step_count', min_steps: 0 }, /^max_steps: missing: .* min_steps: 0 alone always passes$/],
  [{ type: 'step_count', min_steps: 3, max_steps: 2 }, /^max_steps: .* of at least min_steps \(3\)$/],
  [{ type: 'step_count', max_steps: 2, action_prefix: '' }, /^action_prefix: blank: expected the beginning/],
  [{ type: 'token_count' }, /^max_total_tokens: missing: expected a number here, or min_total_tokens, /],
  [{ type: 'token_count', min_total_tokens: 0 }, /^max_total_tokens: missing: .* alone always passes$/],
  [
    { type: 'token_count', min_total_tokens: 3, max_total_tokens: 2 },
    /^max_total_tokens: .* of at least min_total_tokens \(3\)$/,
  ],
  [
    { type: 'execution_time', min_duration_ms: 3, max_duration_ms: 2 },
    /^max_duration_ms: .* of at least min_duration_ms \(3\)$/,
  ],
  [{ type: 'max_commands', max: 1.5 }, /^max: expected a whole number/],
  [{ type: 'max_cost_usd', max: -1 }, /^max: expected a number of at least 0/],
])('refuses %j at the field, with a sentence', (gate, message) => {
  const errors = errorsOf(gate);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(message);
});

it('bounds that include only one number, or only a part of the tokens, are valid', () => {
  for (const gate of [
    { type: 'step_count', min_steps: 2, max_steps: 2 },
    { type: 'token_count', min_total_tokens: 2, max_total_tokens: 2 },
    { type: 'token_count', max_input_tokens: 2 },
    { type: 'token_count', max_output_tokens: 2 },
    { type: 'execution_time', min_duration_ms: 2, max_duration_ms: 2 },
  ])
    expect(errorsOf(gate)).toEqual([]);
});

it('the subject of a gate with bounds names them', () => {
  const subject = (gate: object) => gateSubject(GateSpec.parse(gate));
  expect(subject({ type: 'step_count', max_steps: 4, action_prefix: 'mcp__' })).toBe(
    'at most 4 tool calls of mcp__...',
  );
  expect(subject({ type: 'token_count', min_total_tokens: 1, max_total_tokens: 9, max_input_tokens: 7 })).toBe(
    'at least 1 and at most 9 tokens, at most 7 input tokens',
  );
  expect(subject({ type: 'execution_time', max_duration_ms: 900 })).toBe('at most 900 ms');
});

it('specs have a JSON Schema', () => {
  expect(z.toJSONSchema(GateSpec, { io: 'input' })).toMatchObject({ oneOf: expect.any(Array) as unknown });
});
