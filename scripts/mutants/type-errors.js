import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Returns a function that tells whether a file of the project has type errors if its text is another one. Errors that the other
 * text causes in files that import it are not seen.
 * @param {string} tsconfig
 */
export function typeErrors(tsconfig) {
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(resolve(tsconfig)));
  /** @type {{ path: string, text: string } | null} */
  let changed = null;
  let version = 0;
  const service = ts.createLanguageService(
    {
      ...ts.sys,
      getCompilationSettings: () => options,
      getCurrentDirectory: () => dirname(resolve(tsconfig)),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => (path === changed?.path ? `${version}` : '0'),
      getScriptSnapshot: (path) => {
        const text = path === changed?.path ? changed.text : ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
    },
    ts.createDocumentRegistry(),
  );
  return (/** @type {string} */ file, /** @type {string} */ text) => {
    const path = resolve(file);
    version += 1;
    changed = { path, text };
    return (
      service.getSyntacticDiagnostics(path).length > 0 || service.getSemanticDiagnostics(path).length > 0
    );
  };
}
