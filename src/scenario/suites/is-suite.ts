import { isMap, parseJson } from '#lib';
import { recognize, SCENARIO_ENDING } from '../recognize.js';
import { readDocuments } from '../yaml/read-documents.js';

/** Names of folders and files that tell an agent how it is judged, wherever they lie. */
const FOLDERS = /^[._]*(evals?|evaluations)_*$/i;
const FILES = [
  /\.evals?\.[^.]+$/i,
  /^(evals?|eval[-_]set|trigger[-_]evals?)\.(json|jsonl|ya?ml|csv)$/i,
  /^promptfoo(config)?(\.[^.]+)*\.(ya?ml|json|[cm]?[jt]s)$/i,
  /\.(scenario|matrix)\.(ya?ml|json)$/i,
  /^llm-tool-test-config\.toml$/i,
];

/** True if a file or folder of this name is a suite, a scenario or their configuration. */
export const isNamedLikeSuite = (name: string, isFolder: boolean): boolean =>
  isFolder ? FOLDERS.test(name) : FILES.some((one) => one.test(name));

const EXPECTATIONS = /^(should_(not_)?(trigger|activate)|expected_.+|expectations?|assertions?|must_(not_)?include)$/i;
const KNOWN = ['a suite of evals', 'a configuration of promptfoo', 'a matrix of ElizaOS'];

/** A folder of which a run gets a copy: a skill, a fixture, or the checks. */
export type Copied = 'skill' | 'fixture' | 'checks';

/**
 * The words for a prompt by which a list of cases is known. Those that a skill does not have for any other reason are
 * in test data of the programs that fixtures contain; and checks may have cases of their own.
 */
const PROMPTS: Record<Copied, readonly string[]> = {
  skill: ['prompt', 'query', 'input', 'task', 'question'],
  fixture: ['prompt', 'query'],
  checks: [],
};

/** True if these are the keys of a case: a prompt, and what is expected. */
const areOfCase = (keys: readonly string[], copied: Copied): boolean =>
  keys.some((key) => PROMPTS[copied].includes(key.toLowerCase())) && keys.some((key) => EXPECTATIONS.test(key));

const expects = (row: unknown, copied: Copied): boolean =>
  isMap(row) &&
  (areOfCase(
    Object.keys(row).filter((key) => row[key] !== null),
    copied,
  ) ||
    Array.isArray(row['should_trigger']));

/** Endings of files that may be suites by their content. */
export const SUITE_ENDING = /\.(ya?ml|json|jsonl|csv)$/i;

/**
 * True if a file is a scenario, or a suite of cases with what is expected of each, by its content. So is a rubric in a
 * skill; of one in a fixture, users are warned.
 */
export function isSuite(file: string, text: string, copied: Copied): boolean {
  const isCase = (row: unknown): boolean => expects(row, copied);
  if (SCENARIO_ENDING.test(file)) {
    const look = recognize(file, text);
    if (look.kind === 'scenario') return true;
    if (look.kind === 'other' && [...KNOWN, ...(copied === 'skill' ? ['a rubric'] : [])].includes(look.what))
      return true;
    return readDocuments(file, text).values.some(
      (value) => isCase(value) || (Array.isArray(value) && value.slice(0, 100).some(isCase)),
    );
  }
  const [head = ''] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split(/\r?\n/, 1);
  if (/\.csv$/i.test(file))
    return areOfCase(
      head.split(',').map((name) => name.replaceAll('"', '').trim()),
      copied,
    );
  const first = parseJson(head);
  return isCase(first) || (Array.isArray(first) && first.some(isCase));
}
