import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Names that a module takes from another one, as Prettier formats them. */
const NAMES = /^(?:import|export)(?: type)? \{([^}]*)\} from '([^']+)';$/gm;

/**
 * Returns the modules of this repository that each of these modules imports, types included: paths from `root`. Who
 * imports a name from the face of a room depends on the module that has it, not on all that the face exports.
 * @param {string} root
 * @param {readonly string[]} modules
 * @returns {Map<string, string[]>}
 */
export function readImports(root, modules) {
  /** The modules that have the names which a face exports. @type {Map<string, Map<string, string>>} */
  const faces = new Map();
  /** @param {string} face @returns {Map<string, string>} */
  const namesOf = (face) => {
    const known = faces.get(face);
    if (known !== undefined) return known;
    const text = readFileSync(join(root, face), 'utf8');
    const names = new Map(text.includes("export * from './pure.js'") ? namesOf(join(face, '../pure.ts')) : []);
    for (const { name, from } of namesIn(text)) {
      const source = sourceOf(root, join(face, '..', from));
      if (source !== null) names.set(name, source);
    }
    faces.set(face, names);
    return names;
  };
  return new Map(
    modules.map((module) => {
      const text = readFileSync(join(root, module), 'utf8');
      const taken = namesIn(text).flatMap(({ name, from }) =>
        from.startsWith('#') ? (namesOf(faceOf(from)).get(name) ?? []) : [],
      );
      const loaded = [...text.matchAll(/\bimport\('(#[^']+)'\)/g)].map(([, from = '']) => faceOf(from));
      const { importedFiles } = ts.preProcessFile(text);
      const beside = importedFiles.map(({ fileName }) => sourceOf(root, join(module, '..', fileName)));
      return [module, [...new Set([...taken, ...loaded, ...beside.filter((path) => path !== null)])]];
    }),
  );
}

/** @param {string} text @returns {{ name: string, from: string }[]} */
const namesIn = (text) =>
  [...text.matchAll(NAMES)].flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((name) => {
      const word = /(\w+)(?: as \w+)?\s*$/.exec(name)?.[1];
      return word === undefined ? [] : [{ name: word, from }];
    }),
  );

/** The file of `#host` or `#model/pure`. @param {string} specifier */
const faceOf = (specifier) => {
  const path = `src/${specifier.slice(1)}`;
  return path.endsWith('/pure') ? `${path}.ts` : `${path}/index.ts`;
};

/** @param {string} root @param {string} path @returns {string | null} */
function sourceOf(root, path) {
  const stem = path.replace(/\.js$/, '');
  return [`${stem}.ts`, `${stem}.tsx`, path].find((one) => existsSync(join(root, one))) ?? null;
}
