import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Returns a function that gets other texts of some files of the project, and returns the paths of those that then have
 * type errors. It does not see errors that they cause in other files.
 * @param {string} tsconfig
 * @returns {(texts: ReadonlyMap<string, string>) => Set<string>}
 */
export function typeErrors(tsconfig) {
  const folder = dirname(resolve(tsconfig));
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  /** @type {Map<string, string>} */
  let changed = new Map();
  let round = 0;
  const service = ts.createLanguageService({
    ...ts.sys,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (changed.has(path) ? `${round}` : ''),
    getScriptSnapshot: (path) => {
      const text = changed.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
  });
  return (texts) => {
    round += 1;
    changed = new Map([...texts].map(([path, text]) => [resolve(path), text]));
    const hasErrors = (/** @type {string} */ path) =>
      [service.getSyntacticDiagnostics(path), service.getSemanticDiagnostics(path)].flat().length > 0;
    return new Set([...texts.keys()].filter((path) => hasErrors(resolve(path))));
  };
}
