/**
 * The program that checks the assertions which are no gates: its argument is the number of an assertion in
 * assertions.json beside it. It prints what a gate of type `script` reads, and exits with 2 if it cannot check.
 */
export const CHECK_PROGRAM = `// Checks assertions of a promptfoo config, which are in assertions.json. Written by \`llm-tool-test import\`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const { type, value, threshold, negated = false, vars, prompt } = JSON.parse(
  readFileSync(join(here, 'assertions.json'), 'utf8'),
)[process.argv[2]];

const events = readFileSync(process.env.LLM_TOOL_TEST_EVENTS, 'utf8')
  .split('\\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));
const output = events.filter((event) => event.type === 'message' && event.role === 'assistant').at(-1)?.text ?? '';
const context = { vars, prompt };

const isJson = () => {
  try {
    JSON.parse(output);
    return true;
  } catch {
    return false;
  }
};
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (one) =>
  Array.isArray(one)
    ? one.map(sorted)
    : one !== null && typeof one === 'object'
      ? Object.fromEntries(Object.keys(one).sort().map((key) => [key, sorted(one[key])]))
      : one;
const equals = () => (typeof value === 'string' ? output === value : isJson() && same(JSON.parse(output), value));
const low = (text) => text.toLowerCase();
const glob = (pattern) =>
  new RegExp('^' + pattern.replace(/[\\\\^$.+()[\\]{}|]/g, '\\\\$&').replaceAll('*', '.*').replaceAll('?', '.') + '$');

/** \`file://checks.js:name\` is a function of a module; anything else is an expression, or the body of a function. */
async function javascript() {
  const [, file, name] = /^file:\\/\\/(.+?\\.[cm]?[jt]s)(?::(\\w+))?$/.exec(value) ?? [];
  if (file !== undefined) {
    const loaded = await import(pathToFileURL(resolve(here, 'files', file)));
    const check = name === undefined ? (loaded.default ?? loaded) : (loaded[name] ?? loaded.default?.[name]);
    return check(output, context);
  }
  const body = /\\breturn\\b|\\n/.test(value.trim()) ? value : 'return (' + value.trim().replace(/;$/, '') + ');';
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction('output', 'context', body)(output, context);
}

function python() {
  const [, file, name = 'get_assert'] = /^file:\\/\\/(.+?\\.py)(?::(\\w+))?$/.exec(value) ?? [];
  const lines = value.trim().split('\\n');
  const body = lines.length > 1 ? value : 'return ' + value.trim();
  const program =
    file === undefined
      ? 'def check(output, context):\\n' + body.split('\\n').map((line) => '  ' + line).join('\\n')
      : 'import runpy\\ncheck = runpy.run_path(' + JSON.stringify(resolve(here, 'files', file)) + ')[' + JSON.stringify(name) + ']';
  const code = 'import json, sys\\n' + program + '\\nprint("\\\\n" + json.dumps(check(*json.load(sys.stdin))))';
  const printed = execFileSync('python3', ['-c', code], { input: JSON.stringify([output, context]), encoding: 'utf8' });
  return JSON.parse(printed.trimEnd().split('\\n').at(-1));
}

function toolUsed() {
  const calls = events.filter((event) => event.type === 'tool_call' && event.executed !== false);
  return value.every(({ name, pattern, min = 1, max = Infinity }) => {
    const count = calls.filter((call) => (name === undefined ? glob(pattern).test(call.name) : call.name === name)).length;
    return count >= min && count <= max;
  });
}

const checks = {
  contains: () => output.includes(value),
  icontains: () => low(output).includes(low(value)),
  'contains-all': () => value.every((one) => output.includes(one)),
  'contains-any': () => value.some((one) => output.includes(one)),
  'icontains-all': () => value.every((one) => low(output).includes(low(one))),
  'icontains-any': () => value.some((one) => low(output).includes(low(one))),
  'starts-with': () => output.startsWith(value),
  regex: () => new RegExp(value).test(output),
  equals,
  'is-json': isJson,
  javascript,
  python,
  'trajectory:tool-used': toolUsed,
};

try {
  const found = await checks[type]();
  const grade = typeof found === 'object' && found !== null ? found : { pass: found };
  const verdict = grade.pass ?? grade.pass_ ?? grade.score;
  if (typeof verdict !== 'boolean' && typeof verdict !== 'number')
    throw new Error('expected true, false, a score, or { pass, score, reason }, got ' + JSON.stringify(found));
  const score = typeof verdict === 'number' ? verdict : grade.score;
  const enough = threshold === undefined || score === undefined ? true : score >= threshold;
  const pass = (typeof verdict === 'number' ? (threshold === undefined ? verdict > 0 : true) : verdict) && enough;
  const reason = grade.reason ?? (negated ? 'not ' : '') + type;
  console.log(JSON.stringify({ passed: pass !== negated, message: String(reason) }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
`;
