import { GateSpec } from '#gates';
import { defined, isMap } from '#lib';
import { fillTemplate, type Vars } from './templates.js';

/** An assertion of promptfoo, with `not-` taken off its type. */
interface Assertion {
  type: string;
  value: unknown;
  threshold: number | undefined;
  negated: boolean;
}

/** Gates that check the same, or the reason why there are none. */
type Taken = { ok: true; gates: Json[] } | { ok: false; reason: string };
type Json = Record<string, unknown>;

const taken = (...gates: Json[]): Taken => ({ ok: true, gates });
const refused = (reason: string): Taken => ({ ok: false, reason });

/** `(?s)` lets `.` match line ends; the text is matched as it is. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A check that the program beside the scenarios makes (check-program.ts). */
const byProgram = ({ type, value, threshold, negated }: Assertion, vars: Vars): Taken =>
  taken({
    program: { type, value, vars, ...defined({ threshold }), ...(negated ? { negated } : {}) },
  });

type Reader = (assertion: Assertion, vars: Vars) => Taken;

/** A reader of assertions with a text as their value. A negated one is checked by the program. */
const withText =
  (gates: (text: string) => Json[]): Reader =>
  (assertion, vars) => {
    const { value, negated } = assertion;
    if (typeof value !== 'string' && typeof value !== 'number') return refused('expected a text as its value');
    return negated ? byProgram(assertion, vars) : taken(...gates(String(value)));
  };

/** The same with a list of texts. */
const withTexts =
  (gates: (texts: string[]) => Json[]): Reader =>
  (assertion, vars) => {
    const { value, negated } = assertion;
    const texts = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
    if (!Array.isArray(texts) || texts.length === 0) return refused('expected a list of texts as its value');
    const all = texts.map(String);
    return negated ? byProgram({ ...assertion, value: all }, vars) : taken(...gates(all));
  };

const limit =
  (gate: (threshold: number) => Json): Reader =>
  ({ threshold, negated }) => {
    if (negated) return refused('its negation has no counterpart');
    return threshold === undefined ? refused('it has no threshold') : taken(gate(threshold));
  };

const code: Reader = (assertion, vars) =>
  typeof assertion.value === 'string' ? byProgram(assertion, vars) : refused('expected code as its value');

const toolUsed: Reader = (assertion, vars) => {
  const { value, negated } = assertion;
  const asked: unknown[] = Array.isArray(value) ? value : [value];
  const tools = asked.map((one) => (typeof one === 'string' ? { name: one } : one));
  if (!tools.every((one) => isMap(one) && typeof (one['name'] ?? one['pattern']) === 'string'))
    return refused('expected the name of a tool, or name or pattern with min and max');
  const simple = tools as { name?: string; pattern?: string; min?: number; max?: number }[];
  // Only the program counts calls up to a maximum.
  if (negated || simple.some(({ max, min, pattern }) => max !== undefined || min === 0 || pattern !== undefined))
    return byProgram({ ...assertion, value: simple }, vars);
  return taken(
    ...simple.map(({ name = '', min }) => ({
      type: 'tool_called',
      tool: `^${escaped(name)}$`,
      ...defined({ min }),
    })),
  );
};

const stepCount: Reader = ({ value, negated }) => {
  if (negated) return refused('its negation has no counterpart');
  if (!isMap(value) || value['type'] !== undefined || value['pattern'] !== undefined)
    return refused('expected min and max; steps of one type are not counted');
  const { min, max } = value as { min?: number; max?: number };
  if (min === undefined && max === undefined) return refused('it has neither min nor max');
  return taken({
    type: 'step_count',
    ...defined({ min_steps: min, max_steps: max }),
  });
};

const judged: Reader = ({ value, negated, threshold }) => {
  if (typeof value !== 'string') return refused('expected a criterion as its value');
  if (threshold !== undefined && negated) return refused('a threshold of a negated criterion has no counterpart');
  const expected = negated ? 'no' : threshold === undefined ? undefined : `${threshold}+`;
  return taken({ type: 'llm_judge', prompt: value, ...defined({ expected }) });
};

/** The assertions that are taken, by their type. To add one, add it here. */
const READERS: Readonly<Record<string, Reader>> = {
  contains: withText((substring) => [{ type: 'response_contains', substring }]),
  icontains: withText((value) => [{ type: 'string_contains', value }]),
  'contains-all': withTexts((texts) => texts.map((substring) => ({ type: 'response_contains', substring }))),
  'contains-any': withTexts((texts) => [{ type: 'response_matches', pattern: texts.map(escaped).join('|') }]),
  'icontains-all': withTexts((texts) => texts.map((value) => ({ type: 'string_contains', value }))),
  'icontains-any': withTexts((texts) => [{ type: 'regex_match', pattern: texts.map(escaped).join('|') }]),
  'starts-with': withText((text) => [{ type: 'response_matches', pattern: `\\A${escaped(text)}` }]),
  equals: (assertion, vars) =>
    typeof assertion.value === 'string' && !assertion.negated
      ? taken({ type: 'response_matches', pattern: `\\A${escaped(assertion.value)}\\z` })
      : byProgram(assertion, vars),
  regex: withText((pattern) => [{ type: 'response_matches', pattern }]),
  'is-json': (assertion, vars) =>
    assertion.value === undefined ? byProgram(assertion, vars) : refused('a JSON schema is not checked'),
  javascript: code,
  python: code,
  'llm-rubric': judged,
  'trajectory:goal-success': judged,
  'trajectory:tool-used': toolUsed,
  'trajectory:step-count': stepCount,
  cost: limit((max) => ({ type: 'max_cost_usd', max })),
  latency: limit((max_duration_ms) => ({ type: 'execution_time', max_duration_ms })),
};

/** Fills in the texts in a value. Code stays as it is: it gets the variables. */
function filled(value: unknown, vars: Vars): { ok: true; value: unknown } | { ok: false; reason: string } {
  if (typeof value === 'string') {
    const text = fillTemplate(value, vars);
    return text.ok ? { ok: true, value: text.text } : text;
  }
  if (!Array.isArray(value)) return { ok: true, value };
  const items = value.map((one) => filled(one, vars));
  const wrong = items.find((one) => !one.ok);
  return wrong ?? { ok: true, value: items.map((one) => (one.ok ? one.value : null)) };
}

/** The keys of an assertion that are read. Its metric becomes the name of its gates. */
export const ASSERTION_KEYS = ['type', 'value', 'threshold', 'metric', 'description'] as const;

/** Makes gates of an assertion. */
export function gatesOf(written: Readonly<Record<string, unknown>>, vars: Vars): Taken {
  const { type: named, value: raw, threshold: limited, metric, description } = written;
  if (typeof named !== 'string') return refused('it has no type');
  const type = named.replace(/^not-/, '');
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) return refused(`the assertion ${named} has no counterpart`);
  const isCode = type === 'javascript' || type === 'python';
  const value = isCode ? { ok: true as const, value: raw } : filled(raw, vars);
  if (!value.ok) return value;
  const threshold = typeof limited === 'number' ? limited : undefined;
  const made = reader({ type, value: value.value, threshold, negated: type !== named }, vars);
  if (!made.ok) return made;
  const name = [metric, description].find((one) => typeof one === 'string' && one.trim() !== '');
  const gates = made.gates.map((gate) => ({ ...gate, ...(name === undefined ? {} : { name }) }));
  for (const gate of gates) {
    const checked = 'program' in gate ? null : GateSpec.safeParse(gate);
    if (checked !== null && !checked.success)
      return refused(checked.error.issues[0]?.message ?? 'its gate is not valid');
  }
  return { ok: true, gates };
}
