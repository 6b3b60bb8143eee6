import { MARKER } from './redact-exact.js';
import { maskFlags } from './redact-flags.js';
import { maskKeyBlocks } from './redact-key-block.js';

/* A line may be a megabyte long, so every pattern is linear: its repetitions are bounded, or it cannot begin inside
   the run that it consumes, or nothing after the run can fail. A line may be a piece of JSON, so no pattern consumes
   a quote or splits an escape, and a token may begin right after an escape (`\nsk-...`). */
const AFTER_ESCAPE = String.raw`(?<=\\[nrt])`;
const START = String.raw`(?:(?<![A-Za-z0-9])|${AFTER_ESCAPE})`;

const LABEL =
  '(?:password|passwd|passphrase|secret|token|auth|api[_ -]?key|(?:access|private|secret|signing)[_ -]?key)(?:[_-]?[0-9]{1,3})?';
const LABEL_AND_SIGN = String.raw`${LABEL}(?:\\{0,7}["'])?[ \t]{0,8}(?::=|[:=])(?![:=])[ \t]{0,8}(?:(?:Bearer|Basic)[ \t]{1,4})?`;
const QUOTED = [
  String.raw`"(?![,}\]:])(?:[^"\\\r\n]|\\.){1,8192}"`,
  String.raw`'(?:[^'\\\r\n]|\\.){1,8192}'`,
  String.raw`\\{1,7}["'](?:(?!\\{1,7}["'])[^"'\r\n]){1,8192}(?=\\{1,7}["'])`,
].join('|');
// A marker inside the value is masked with it. Written out, because a loop over alternatives overflows on long values.
const BARE_END = String.raw`[^\s"'\\,;&)}\]<>[]*(?:\[(?:REDACTED\])?[^\s"'\\,;&)}\]<>[]*){0,1000}`;
const BARE = String.raw`(?:\[REDACTED\]|[^\s"'\\,;&)}\]<>{[(])${BARE_END}`;

const labelledText = new RegExp(`(${LABEL_AND_SIGN})(?:(${QUOTED})|(${BARE}))`, 'gi');
const labelName = new RegExp(`(?:${LABEL}|^(?:proxy-)?authorization)$`, 'i');
const quotedWord = /^(\\*["'])(.*?)(["']?)$/s;
const variable = /^\$(?:[{(]|[A-Z_][A-Z0-9_]*$)/;
const plainBare = /^(?:true|false|null|none|nil|undefined|[-+]?\d[\d._]*(?:e[-+]?\d+)?%?)$/i;
const plainQuoted = /^(?:true|false|null|\[REDACTED\])?$/i;

const tokens = new RegExp(
  START +
    '(?:' +
    [
      'sk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,8192}|[A-Za-z0-9]{20,8192}[A-Za-z0-9_-]{0,8192})',
      '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
      'gh[pousr]_[A-Za-z0-9]{16,8192}',
      'github_pat_[A-Za-z0-9_]{16,8192}',
      'glpat-[A-Za-z0-9_-]{16,8192}',
      'AIza[A-Za-z0-9_-]{30,8192}',
      'xox[a-z]-[A-Za-z0-9-]{8,8192}',
      'hf_[A-Za-z0-9]{20,8192}',
      '[sr]k_(?:live|test)_[A-Za-z0-9]{16,8192}',
    ].join('|') +
    ')',
  'g',
);

const replacements: [RegExp, string][] = [
  [tokens, MARKER],
  [
    new RegExp(
      String.raw`(?:(?<![A-Za-z0-9_-])|${AFTER_ESCAPE})eyJ[A-Za-z0-9_-]{5,8192}\.[A-Za-z0-9_-]{5,8192}(?:\.[A-Za-z0-9_-]{0,8192}){1,3}`,
      'g',
    ),
    MARKER,
  ],
  [
    new RegExp(
      String.raw`(${START}Bearer[ \t]{1,4})(?!(?:authentication|authorization|auth|tokens?|credentials?|scheme|header|format)\b)[A-Za-z0-9._~+/=-]{6,8192}`,
      'gi',
    ),
    `$1${MARKER}`,
  ],
  [
    new RegExp(
      String.raw`(authorization(?:\\{0,7}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,7}["'])?(?:Basic|Bearer|Digest|Token)[ \t]{1,4})${BARE}`,
      'gi',
    ),
    `$1${MARKER}`,
  ],
  [/(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,200}(?=@)/g, `$1${MARKER}`],
];

const emails: [RegExp, string][] = [
  [
    new RegExp(
      String.raw`(?:(?<![A-Za-z0-9._%+\\-])|${AFTER_ESCAPE})(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}`,
      'g',
    ),
    MARKER,
  ],
];

const homes: [RegExp, string][] = [
  [
    // Not the path of a URL (example.com/home/page), but paths after what WSL, containers and compiler flags put first.
    new RegExp(
      String.raw`(?:(?<![\w.~-])|${AFTER_ESCAPE}|(?<=/(?:mnt/[a-z]|var|export|Data)|\s-[A-Za-z]))(/(?:home|Users)/)[^/\\\s"'${'`'}:;,()<>{}[\]|&$*?]+`,
      'g',
    ),
    '$1[USER]',
  ],
  [
    /\b([A-Za-z]:\\{1,4}Users\\{1,4})(?:[^\\/:*?"<>|\s]{1,64}(?: [^\\/:*?"<>|\s]{1,64}){0,3}(?=\\)|[^\\/:*?"'<>|\s,;)]+)/gi,
    '$1[USER]',
  ],
];

const applyAll = (text: string, rules: [RegExp, string][]): string =>
  rules.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text);

function maskLabelled(all: string, label: string, quoted?: string, bare?: string): string {
  if (bare !== undefined) return plainBare.test(bare) || variable.test(bare) ? all : label + MARKER;
  const [, open = '', content = '', close = ''] = quotedWord.exec(quoted ?? '') ?? [];
  return plainQuoted.test(content) ? all : label + open + MARKER + close;
}

/** True if the value under this key is a secret by its name: `api_key`, `DB_PASSWORD`, `accessToken`; not `tokens`. */
export function isSecretName(name: string): boolean {
  return labelName.test(name);
}

/** True if the value under a secret's name is not a secret: it is empty, a truth value, or already masked. */
export function isPlainValue(value: string): boolean {
  return plainQuoted.test(value);
}

/** Masks the names of home folders in paths. */
export const maskHomes = (text: string): string => applyAll(text, homes);

/** Masks everything that looks like a secret, an e-mail address or the name of a home folder. */
export function maskPatterns(text: string): string {
  if (text.length < 6) return text;
  const masked = applyAll(maskKeyBlocks(text), replacements).replace(labelledText, maskLabelled);
  return maskHomes(applyAll(maskFlags(masked), emails));
}
