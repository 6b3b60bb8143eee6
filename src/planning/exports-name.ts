import { parse } from '@babel/parser';

/**
 * Checks if a JavaScript or TypeScript module exports a name. True if its text does not tell: it re-exports all of
 * another module, is a CommonJS module that mentions the name, or cannot be parsed, which is reported when it is
 * loaded.
 */
export function exportsName(text: string, name: string): boolean {
  let body;
  try {
    body = parse(text, {
      sourceType: 'unambiguous',
      plugins: ['typescript', 'decorators'],
      errorRecovery: true,
    }).program.body;
  } catch {
    return true;
  }
  const isModule = body.some(({ type }) => type.startsWith('Import') || type.startsWith('Export'));
  if (!isModule) return text.includes(name);
  return body.some((statement) => {
    if (statement.type === 'ExportAllDeclaration') return true;
    if (statement.type !== 'ExportNamedDeclaration') return false;
    const { declaration, specifiers } = statement;
    const named = specifiers.map(({ exported }) => (exported.type === 'Identifier' ? exported.name : exported.value));
    if (declaration?.type === 'FunctionDeclaration') named.push(declaration.id?.name ?? '');
    if (declaration?.type === 'VariableDeclaration')
      named.push(...declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? id.name : [])));
    return named.includes(name);
  });
}
