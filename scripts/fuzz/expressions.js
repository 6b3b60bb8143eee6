// Small languages (JSON paths, assertions, patterns, variables, paths, names) and the output of scripts.
import { posix } from 'node:path';
import { readEvaluator } from '../../src/gates/evaluators.ts';
import { applyAssertion, parseAssertion } from '../../src/gates/json/json-assertion.ts';
import { compileJsonPath } from '../../src/gates/json/json-path.ts';
import { interpolate, variableNames } from '../../src/lib/interpolate.ts';
import { compilePattern } from '../../src/lib/pattern.ts';
import { safeName } from '../../src/lib/safe-name.ts';
import { workspacePathProblem } from '../../src/lib/workspace-path.ts';
import { staysInside } from '../../src/host/fs/tree.ts';
import { EvaluatorResult } from '../../src/model/records/result-line.ts';
import { expect, same } from './expect.js';
import { anyJson, mutated, mutatedJson, sentence } from './mutate.js';

const PATH_WORDS = [
  ...['$', '.a', '..a', '[0]', '[-1]', '[1:2]', '[::-1]', '[*]', '.*', "['a']", '["b"]', '[?', ']', '@', '@.a', '=='],
  ...[
    '!=',
    '<',
    '&&',
    '||',
    '!',
    '(',
    ')',
    'length(',
    'count(',
    'match(',
    'search(',
    'value(',
    "'x'",
    "'(a+)+$'",
    '1',
    ',',
    'null',
  ],
];
const PATHS = [
  '$',
  '$.a.b[0]',
  "$..['a']",
  '$[?@.a == 1 && @.b]',
  '$[?match(@.a, "a.*")]',
  '$[?length(@.a) > 1]',
  '$[1:5:2]',
];
const ASSERTIONS = [
  'exists',
  'equals ',
  'contains ',
  'matches ',
  'len',
  '>=',
  '==',
  '<',
  ' ',
  '3',
  '1e9',
  '"x"',
  '(',
  '[a-',
  'null',
  '{"a":1}',
];
const REGEX = [
  'a',
  '.',
  '*',
  '+',
  '?',
  '{2,3}',
  '{1000}',
  '(',
  ')',
  '(?:',
  '(?=',
  '(?i)',
  '[',
  '^',
  ']',
  '\\d',
  '\\1',
  '\\p{L}',
  '|',
  '$',
  '\\Q',
  'x*',
];
const PATH_PARTS = ['a', '..', '.', '/', '//', 'b/', '../', ' ', '...', '\\', '~'];
const VARIABLES = ['${A}', '$${A}', '${B', '$', '{', '}', '${1}', '${__proto__}', '${constructor}', '$$', 'x'];

function checkJsonPath({ path, assertion, value }) {
  const compiled = compileJsonPath(path);
  const parsed = parseAssertion(assertion);
  for (const one of [compiled, parsed]) if (!one.ok) expect(one.message.trim() !== '', 'refused without a reason');
  if (!compiled.ok) return;
  const found = compiled.find(value);
  expect(compiled.singular || found === undefined || Array.isArray(found), 'a plural path gave no array', path);
  if (!parsed.ok) return;
  const verdict = applyAssertion(parsed.assertion, found);
  expect(verdict.ok || verdict.message.length < 2000, 'a message without end');
}

function checkPattern({ pattern, text }) {
  const compiled = compilePattern(pattern);
  if (compiled.ok) expect(compiled.test(text) === compiled.test(text), 'does not say the same twice');
  else expect(compiled.message.startsWith('invalid pattern: '), 'refused without a reason');
}

function checkPath({ path, to }) {
  const inside = (written) => {
    const whole = posix.join('/w', written);
    return whole === '/w' || whole === '/w/' || whole.startsWith('/w/');
  };
  if (workspacePathProblem(path) !== null) return;
  expect(inside(path) && !path.includes('\0'), 'a path that leaves was accepted', path);
  if (staysInside(path, to))
    expect(inside(`${posix.dirname(path)}/${to}`), 'a symlink that leaves was accepted', path, to);
}

function checkText(text) {
  const filled = interpolate(text, { A: '${A}', B: 'x' });
  if (!filled.ok)
    expect(
      filled.missing.every((name) => variableNames(text).includes(name)),
      'a name from nowhere',
    );
  const name = safeName(text);
  expect(name !== '' && [...name].length <= 60 && !/[/\0]|^[.-]/.test(name), 'a name that is not safe', name);
}

function checkEvaluator(stdout) {
  const end = { exitCode: 0, timedOut: false, stderr: '', stderrBytes: 0, durationMs: 1 };
  const result = readEvaluator('e', { ...end, stdout, stdoutBytes: Buffer.byteLength(stdout) }, 1);
  // The first parse may drop a key `__proto__`. After that, nothing may change.
  const stored = EvaluatorResult.parse(JSON.parse(JSON.stringify(result)));
  same(EvaluatorResult.parse(JSON.parse(JSON.stringify(stored))), stored, 'a result that changes when it is stored');
}

export const targets = [
  {
    name: 'json-path',
    make: (random) => ({
      path: random.chance(0.5) ? mutated(random, PATHS) : `$${sentence(random, PATH_WORDS, 10)}`,
      assertion: sentence(random, ASSERTIONS, 4),
      value: anyJson(random, ['a', 'b', 'x'], 4),
    }),
    check: checkJsonPath,
  },
  {
    name: 'pattern',
    make: (random) => ({ pattern: sentence(random, REGEX, 12), text: 'aax'.repeat(random.below(400)) }),
    check: checkPattern,
  },
  {
    name: 'workspace-path',
    make: (random) => ({ path: sentence(random, PATH_PARTS, 8), to: sentence(random, PATH_PARTS, 8) }),
    check: checkPath,
  },
  { name: 'variables', make: (random) => sentence(random, VARIABLES, 8), check: checkText },
  {
    name: 'evaluator',
    make: (random) => {
      const value = mutatedJson(random, { metrics: { n: 1 }, score: 0.5, summary: 's' }, ['score', 'metrics', 'a']);
      return random.chance(0.3) ? mutated(random, [JSON.stringify(value)]) : JSON.stringify(value);
    },
    check: checkEvaluator,
  },
];
