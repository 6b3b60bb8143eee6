import { isMap } from '#lib';
import { ASSERTION_KEYS } from './assertions.js';
import { fieldOf, fileIn, itemsOf, type Part, partOf, readPart, type ReadBeside } from './parts.js';
import { parseYaml } from '../yaml/load-yaml.js';
import { expandVars, type Vars } from './templates.js';

/** A test with the values of its variables, and its assertions. */
export interface Test {
  part: Part;
  description: string | null;
  vars: Vars;
  assertions: Part[];
}

const TEST_KEYS = ['description', 'vars', 'assert', 'options', 'metadata'];

/** The tests of a config, also those in other files, one for each combination of the values of lists. */
export function readTests(config: Part, read: ReadBeside): Test[] {
  const defaults = withFile(fieldOf(config, 'defaultTest'), read);
  const common = defaults === undefined ? EMPTY : contentOf(defaults, read);
  const items = itemsOf(fieldOf(config, 'tests')).flatMap((item): Part[] => {
    const file = fileIn(item.value) ?? (typeof item.value === 'string' ? item.value : null);
    if (file === null) return [item];
    const inner = readPart(item, file, read);
    return inner === null ? [] : itemsOf(inner);
  });
  // Without tests, promptfoo runs the prompts once.
  const tests = items.length === 0 && fieldOf(config, 'tests') === undefined ? [{ ...config, value: {} }] : items;
  return tests.flatMap((item): Test[] => {
    if (!isMap(item.value)) {
      item.left.add(item.path, 'expected a map with vars and assert, or the name of a file');
      return [];
    }
    const own = contentOf(item, read);
    const { description } = item.value;
    return expandVars({ ...common.vars, ...own.vars }, own.keepLists || common.keepLists).map((vars) => ({
      part: item,
      description: typeof description === 'string' ? description : null,
      vars,
      assertions: [...common.assertions, ...own.assertions],
    }));
  });
}

interface Content {
  vars: Vars;
  assertions: Part[];
  keepLists: boolean;
}
const EMPTY: Content = { vars: {}, assertions: [], keepLists: false };

function withFile(part: Part | undefined, read: ReadBeside): Part | undefined {
  const file = fileIn(part?.value);
  return part === undefined || file === null ? part : (readPart(part, file, read) ?? undefined);
}

function contentOf(test: Part, read: ReadBeside): Content {
  if (!isMap(test.value)) return EMPTY;
  test.left.addOthers(test.value, test.path, TEST_KEYS);
  const options = fieldOf(test, 'options');
  if (options !== undefined && isMap(options.value))
    options.left.addOthers(options.value, options.path, ['disableVarExpansion']);
  const vars = withFile(fieldOf(test, 'vars'), read);
  const entries = isMap(vars?.value) ? Object.keys(vars.value) : [];
  return {
    vars: Object.fromEntries(
      entries.flatMap((name) => {
        const part = vars === undefined ? undefined : fieldOf(vars, name);
        const value = part === undefined ? undefined : valueOf(part, read);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    assertions: itemsOf(fieldOf(test, 'assert')).flatMap((one): Part[] => {
      if (!isMap(one.value)) {
        one.left.add(one.path, 'expected a map with a type');
        return [];
      }
      one.left.addOthers(one.value, one.path, ASSERTION_KEYS);
      return [one];
    }),
    keepLists: isMap(options?.value) && options.value['disableVarExpansion'] === true,
  };
}

/** The value of a variable, which may be the content of a file. */
function valueOf(part: Part, read: ReadBeside): unknown {
  const file = fileIn(part.value);
  if (file === null) return part.value;
  const text = /\.([cm]?[jt]s|py)$/.test(file) ? null : read(file);
  if (text === null) {
    part.left.add(part.path, `${file} cannot be read, or is a program`);
    return undefined;
  }
  if (!/\.(ya?ml|json)$/.test(file)) return text.trim();
  const { source } = parseYaml(file, text);
  return source === null ? text.trim() : partOf(source).value;
}
