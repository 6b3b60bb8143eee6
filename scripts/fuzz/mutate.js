/** Characters and fragments that parsers, terminals and file systems have failed on. */
const PIECES = [
  ...['\0', '\t', '\r', '\n', '\r\n', '\u2028', '\u0085', '\ufeff', '\u200b', '\u202e', '\ud800', '\udfff', 'é', '😀'],
  ...['\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\u0007', '\b', '\u001bP', '\u001b', '\u009d'],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '\\"',
    '$',
    '${',
    '}',
    '{',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '|',
    '&',
    ';',
    '#',
    '*',
    '!',
    '%',
    '@',
  ],
  ...[
    '---\n',
    '...\n',
    '- ',
    ': ',
    '? ',
    '&a ',
    '*a',
    '<<: *a',
    '!!set ',
    '!x ',
    '|\n',
    '>-\n',
    '"""',
    "'''",
    '[[',
    ']]',
    '=',
    ',',
  ],
  ...[
    'null',
    '~',
    'true',
    'no',
    '0x1F',
    '1e999',
    '-0',
    '.nan',
    '1_000',
    '9007199254740993',
    '2026-01-01',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...['../', '/', './', '//', '\\..\\', 'CON', '-rf', ' ', '$(', '<<EOF\n', '&&', '||', '2>&1', '>(', '$((', '\\\n'],
];

const slice = (random, text) => {
  const from = random.below(text.length + 1);
  return [from, Math.min(text.length, from + 1 + random.below(random.pick([2, 8, 40, 400])))];
};

/** Changes to a text regardless of its meaning. */
const BLIND = [
  (random, text) => {
    const [from, to] = slice(random, text);
    return text.slice(0, from) + text.slice(to);
  },
  (random, text) => {
    const [from, to] = slice(random, text);
    return text.slice(0, to) + text.slice(from, to) + text.slice(to);
  },
  (random, text) => {
    const [at] = slice(random, text);
    return text.slice(0, at) + random.pick(PIECES) + text.slice(at);
  },
  (random, text) => {
    const [from, to] = slice(random, text);
    return text.slice(0, from) + random.pick(PIECES) + text.slice(to);
  },
  (random, text) => {
    const [at] = slice(random, text);
    return text.slice(0, at) + String.fromCharCode(random.below(0x10000)) + text.slice(at + 1);
  },
  (random, text) => text.slice(0, random.below(text.length + 1)),
  (random, text) => {
    const [at] = slice(random, text);
    return text.slice(0, at) + random.pick(PIECES).repeat(random.pick([3, 30, 101, 300])) + text.slice(at);
  },
];

/** Changes to the lines of a text, such as people make. */
const BY_LINES = [
  (random, lines) => lines.splice(random.below(lines.length), 1),
  (random, lines) => lines.splice(random.below(lines.length), 0, random.pick(lines)),
  (random, lines) => {
    const at = random.below(lines.length);
    lines[at] = ' '.repeat(random.below(9)) + lines[at].trimStart();
  },
  (random, lines) => {
    const [a, b] = [random.below(lines.length), random.below(lines.length)];
    [lines[a], lines[b]] = [lines[b], lines[a]];
  },
  (random, lines) => {
    const at = random.below(lines.length);
    lines[at] = lines[at].replace(/([:=]\s*).*$/, (_, sign) => sign + random.pick(PIECES));
  },
  (random, lines) => {
    const at = random.below(lines.length);
    lines[at] = lines[at].replace(/[a-z_]{3,}/, (word) => word.slice(1) + word[0]);
  },
];

const mutateLines = (random, text) => {
  const lines = text.split('\n');
  random.pick(BY_LINES)(random, lines);
  return lines.join('\n');
};

/** Returns a text of the corpus with up to six changes, sometimes joined with a part of another text. */
export function mutated(random, corpus) {
  let text = random.pick(corpus);
  if (random.chance(0.1)) {
    const other = random.pick(corpus);
    text = text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1));
  }
  for (let count = random.pick([0, 1, 1, 1, 2, 3, 6]); count > 0; count--) {
    text = random.chance(0.5) ? mutateLines(random, text) : random.pick(BLIND)(random, text);
  }
  return text;
}

/** Returns the words of a small language in random order. */
export const sentence = (random, words, most = 12) =>
  random.times(most, () => random.pick(random.chance(0.1) ? PIECES : words)).join(random.pick(['', '', ' ']));

/** Returns a random JSON value whose strings and keys consist of `words`. */
export function anyJson(random, words, depth = 3) {
  if (depth === 0 || random.chance(0.5)) {
    return random.pick([null, true, false, 0, -1, 1.5, 1e300, sentence(random, words, 3), sentence(random, words, 3)]);
  }
  const inner = () => anyJson(random, words, depth - 1);
  if (random.chance(0.5)) return random.times(4, inner);
  return Object.fromEntries(random.times(4, () => [sentence(random, words, 2), inner()]));
}

/** Returns a copy of a JSON value with one part replaced, removed, added or nested. */
export function mutatedJson(random, value, words) {
  if (value === null || typeof value !== 'object' || random.chance(0.15)) {
    if (random.chance(0.02)) return nested(random.pick([50, 501, 1500]));
    return random.chance(0.5) ? anyJson(random, words, 2) : [value];
  }
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const keys = Object.keys(copy);
  const key = keys.length === 0 || random.chance(0.1) ? sentence(random, words, 2) : random.pick(keys);
  if (random.chance(0.2)) Reflect.deleteProperty(copy, key);
  else if (Array.isArray(copy) && keys.length === 0) copy.push(anyJson(random, words, 1));
  else {
    // Like JSON.parse, treat `__proto__` as an ordinary key.
    const value = mutatedJson(random, Object.hasOwn(copy, key) ? copy[key] : null, words);
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

/** Returns arrays that may be nested too deeply for recursive code. */
const nested = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
