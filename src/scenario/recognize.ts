import { isMap, suggest } from '#lib';
import { isTaskFile, nameOfTask } from './task/task-name.js';
import { readDocuments } from './yaml/read-documents.js';

/** The kind of a YAML or JSON file, by its name and what can be read of it. */
export type Recognized =
  | {
      /** `unclear`: it does not say what it is, so that loading it as a scenario must report what is wrong. */
      kind: 'scenario' | 'unclear';
      name: string | null;
      /** The fixture folders, and the folders of checks, skills and plugins, that it names. */
      fixtures: string[];
      others: string[];
    }
  /** `isKnown`: the format is known, and not only the shape of the data. */
  | { kind: 'other'; what: string; isKnown: boolean };

/** The endings of files that can be scenarios. */
export const SCENARIO_ENDING = /\.(ya?ml|json)$/i;

/** The name of a file in the form of the ElizaOS scenario runner. */
export const isElizaName = (file: string): boolean => /\.scenario\.(ya?ml|json)$/i.test(file);

type Form = Readonly<Record<string, (value: unknown) => boolean>>;

const likeAny = (keys: readonly string[], known: readonly string[]): boolean =>
  keys.some((key) => known.includes(key) || suggest(key, known) !== null);

/** A value that is a map with one of these keys, or with one that is spelled like it. */
const hasAny =
  (...known: string[]) =>
  (value: unknown): boolean =>
    isMap(value) && likeAny(Object.keys(value), known);

const listOf =
  (is: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.some(is);

const isText = (value: unknown): boolean => typeof value === 'string';

/** The keys by which each form of scenario can be told from other files, with the values that they have. */
const OWN: Form = {
  template_folder: isText,
  checks_folder: isText,
  task: hasAny('prompt'),
  evaluation: hasAny('gates', 'judge'),
  target: hasAny('binary'),
  subject: (value) => [value].flat().some(hasAny('skill', 'instructions', 'plugin', 'mcp')),
  tool_matrix: listOf(hasAny('agent', 'tool')),
};
const ELIZA: Form = {
  run: (value) => [value].flat().some(hasAny('input', 'code', 'conversation', 'evaluations')),
};

/** These say that a file is a scenario even if their values are wrong, unless most of the others are foreign to it. */
const TELLING = ['template_folder', 'checks_folder', 'task', 'evaluation', 'target', 'tool_matrix'];
const ORDINARY = [
  ...['name', 'description', 'subject', 'baseline', 'tier', 'tags', 'setup', 'scripts', 'matrix', 'run'],
  ...['cost', 'environment', 'mock'],
];
const MOST = 0.6;

/** A scenario has fewer keys than this, and larger data would take long to look at. */
const MAX_INSPECTED = 100;

const isLike = (form: Form, value: unknown): boolean =>
  isMap(value) &&
  Object.entries(value)
    .slice(0, MAX_INSPECTED)
    .some(([key, inside]) => {
      const meant = Object.hasOwn(form, key) ? key : suggest(key, Object.keys(form));
      return meant !== null && form[meant]?.(inside) === true;
    });

function hasMostKeys(value: unknown): boolean {
  if (!isMap(value)) return false;
  const keys = Object.keys(value).slice(0, MAX_INSPECTED);
  const known = keys.filter((key) => likeAny([key], [...TELLING, ...ORDINARY]));
  return keys.some((key) => TELLING.includes(key)) && known.length >= MOST * keys.length;
}

const isOwnLike = (value: unknown): boolean => isLike(OWN, value) || hasMostKeys(value);

/** True if a value is a scenario in some form, with mistakes perhaps, or a list or map of nothing but such. */
function isScenarioLike(value: unknown): boolean {
  const isTyped = (one: unknown): boolean => isLike(OWN, one) || isLike(ELIZA, one);
  if (isTyped(value) || hasMostKeys(value)) return true;
  if (Array.isArray(value)) return value.slice(0, MAX_INSPECTED).some(isTyped);
  const inside = isMap(value) ? Object.values(value) : [];
  return inside.length === 1 && isTyped(inside[0]);
}

/** Run by another command. */
const MATRIX = 'a matrix of ElizaOS';

/** Formats that often lie beside scenarios: the keys that a file of each has, all of them. */
const FORMATS: readonly { what: string; keys: readonly string[] }[] = [
  { what: MATRIX, keys: ['base_scenario'] },
  { what: 'a rubric', keys: ['criteria', 'output'] },
  { what: 'a suite of evals', keys: ['evals'] },
  { what: 'a configuration of promptfoo', keys: ['prompts', 'providers'] },
  { what: 'a configuration of promptfoo', keys: ['prompts', 'tests'] },
  { what: 'a Compose file', keys: ['services'] },
  { what: 'a manifest of Kubernetes', keys: ['apiVersion', 'kind'] },
  { what: 'a workflow of GitHub', keys: ['on', 'jobs'] },
  { what: 'an action of GitHub', keys: ['runs', 'name'] },
  { what: 'an OpenAPI description', keys: ['openapi'] },
  { what: 'a JSON Schema', keys: ['$schema', 'properties'] },
  { what: 'a character of ElizaOS', keys: ['name', 'bio'] },
  { what: 'a manifest of a package', keys: ['name', 'version'] },
  { what: 'servers of MCP', keys: ['mcpServers'] },
];

const LISTED = 4;
const LONGEST_KEY = 30;

function describe(value: unknown): { what: string; isKnown: boolean } {
  const plain = (what: string) => ({ what, isKnown: false });
  if (Array.isArray(value)) {
    return value.length > 0 && value.slice(0, MAX_INSPECTED).every(hasAny('query', 'prompt'))
      ? { what: 'a list of prompts', isKnown: true }
      : plain(`a list of ${value.length}`);
  }
  if (!isMap(value)) return plain(value === null ? 'an empty document' : 'a single value');
  const known = FORMATS.find(({ keys }) => keys.every((key) => Object.hasOwn(value, key)));
  if (known !== undefined) return { what: known.what, isKnown: true };
  const keys = Object.keys(value).map((key) =>
    JSON.stringify(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key),
  );
  const more = keys.length > LISTED ? ', …' : '';
  return plain(keys.length === 0 ? 'an empty map' : `a map with ${keys.slice(0, LISTED).join(', ')}${more}`);
}

/**
 * Says what a file is, by parsing it. A file that is named like a scenario is one; others are scenarios if a part of
 * them looks like it, also if another part is misspelled or missing. What declares nothing, or cannot be parsed, is
 * unclear.
 */
export function recognize(file: string, text: string): Recognized {
  if (isTaskFile(file)) return { kind: 'scenario', name: nameOfTask(file, text), fixtures: [], others: [] };
  const { values, isBroken } = readDocuments(file, text);
  const declared = values.filter((value) => value !== null && value !== undefined);
  const scenarios = declared.filter(isScenarioLike);
  const isNamed = isElizaName(file);
  const isData = declared.length > 0 && (/\.json$/i.test(file) || declared.some((one) => typeof one === 'object'));
  if (isNamed || scenarios.length > 0 || isBroken || !isData) {
    const [first] = scenarios.length > 0 ? scenarios : declared;
    const name = isMap(first) && typeof first['name'] === 'string' ? first['name'].trim() : '';
    return {
      kind: isNamed || scenarios.length > 0 ? 'scenario' : 'unclear',
      name: name === '' ? null : name,
      ...foldersIn(first),
    };
  }
  const [first] = declared;
  return declared.length === 1
    ? { kind: 'other', ...describe(first) }
    : {
        kind: 'other',
        what: `${declared.length} documents, the first ${describe(first).what}`,
        isKnown: false,
      };
}

/** The folders that a scenario and its variants name. */
function foldersIn(value: unknown): { fixtures: string[]; others: string[] } {
  if (!isMap(value)) return { fixtures: [], others: [] };
  const texts = (...written: unknown[]): string[] =>
    written.flatMap((one) => (typeof one === 'string' && one !== '' ? [one] : []));
  const { matrix, subject } = value;
  const variants = isMap(matrix) && Array.isArray(matrix['variants']) ? matrix['variants'].map(foldersIn) : [];
  return {
    fixtures: [...texts(value['template_folder']), ...variants.flatMap(({ fixtures }) => fixtures)],
    others: [
      ...texts(
        value['checks_folder'],
        ...[subject].flat().flatMap((part) => (isMap(part) ? [part['skill'], part['plugin']] : [])),
      ),
      ...variants.flatMap(({ others }) => others),
    ],
  };
}

/**
 * Returns the form in which a scenario file is read: that of ElizaOS if it is named so and has no key that only our
 * form has. `misnamed`: it is in the form of ElizaOS by its content only.
 */
export function formOf(file: string, text: string): 'own' | 'eliza' | 'misnamed' {
  const [value] = readDocuments(file, text).values;
  if (isElizaName(file))
    return isMap(value) && ['template_folder', 'task', 'target'].some((key) => Object.hasOwn(value, key))
      ? 'own'
      : 'eliza';
  return isLike(ELIZA, value) && !isOwnLike(value) ? 'misnamed' : 'own';
}
