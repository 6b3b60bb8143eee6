import { realpathSync } from 'node:fs';
import { extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { interpolate, type Json, messageOf } from '#lib';
import { createJiti } from 'jiti';
import { CannotSetUp } from './events.js';

export type Loaded = Readonly<Record<string, unknown>>;

/** Extensions of files that Node runs itself, in all of its versions that are supported here. */
const NATIVE = ['.js', '.mjs', '.cjs'];

/** True if a name is that of a file, and not of a package. */
const isPath = (name: string): boolean => name.startsWith('.') || isAbsolute(name);

/**
 * Loads a package or a file as a module in `folder` would. Modules for `import` are preferred to those for `require`,
 * since a package may exist in both forms, and all code must share one of them.
 * @throws CannotSetUp
 */
export async function loadModule(folder: string, name: string): Promise<Loaded> {
  const jiti = createJiti(join(folder, 'index.js'), { fsCache: false, interopDefault: false });
  const file = isPath(name) ? resolve(folder, name) : packageEntry(jiti, name);
  if (file === null)
    throw new CannotSetUp(`the package ${name} was not found from ${folder}; install it: npm install ${name}`);
  try {
    const real = realpathSync(file);
    const loaded: unknown = NATIVE.includes(extname(real))
      ? await import(pathToFileURL(real).href)
      : extname(real) === '.json'
        ? { default: await jiti.import(real, { default: true }) }
        : await jiti.import(real);
    return loaded as Loaded;
  } catch (error) {
    throw new CannotSetUp(`${name} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function packageEntry(jiti: ReturnType<typeof createJiti>, name: string): string | null {
  const found = jiti.esmResolve(name, { try: true, conditions: ['node', 'import', 'default'] });
  return found === undefined ? null : fileURLToPath(found);
}

/** Replaces `${NAME}` in all texts of a value. A name without a value is left as it is. */
export function fillVariables(value: Json, values: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    const filled = interpolate(value, values);
    return filled.ok ? filled.text : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, values));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillVariables(item, values)]));
}
