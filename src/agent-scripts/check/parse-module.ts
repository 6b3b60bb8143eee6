import { parse } from '@babel/parser';

/** A node of the syntax tree, with the fields that are used here. */
export interface Node {
  type: string;
  loc?: { start: { line: number; column: number } } | null;
  [key: string]: unknown;
}

/** The binding of a name in a module. */
export type Binding =
  | { kind: 'own'; node: Node }
  /** `name` is null for `import * as x`. */
  | { kind: 'import'; from: string; name: string | null };

/** The names in a module. */
export interface Module {
  path: string;
  /** Names at the top level. */
  bindings: Map<string, Binding>;
  /** Local names by exported name. */
  exports: Map<string, string>;
  /** All imports, with their specifier and place. */
  imports: { from: string; node: Node }[];
  /** The statements that run when the module is loaded. */
  body: Node[];
}

/** @throws SyntaxError with `loc` if the text is not valid TypeScript */
export function parseModule(path: string, text: string): Module {
  const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'], errorRecovery: false });
  const module: Module = { path, bindings: new Map(), exports: new Map(), imports: [], body: [] };
  for (const statement of program.body as unknown as Node[]) addStatement(module, statement);
  return module;
}

function addStatement(module: Module, statement: Node): void {
  switch (statement.type) {
    case 'ImportDeclaration':
      addImport(module, statement);
      break;
    case 'ExportNamedDeclaration':
      addExport(module, statement);
      break;
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      module.body.push(statement);
      break;
    default:
      declare(module, statement);
  }
}

function addImport(module: Module, statement: Node): void {
  if (statement['importKind'] === 'type') return;
  const from = textOf(statement['source']);
  module.imports.push({ from, node: statement });
  for (const specifier of nodes(statement['specifiers'])) {
    const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier['imported']) : null;
    module.bindings.set(nameOf(specifier['local']), { kind: 'import', from, name });
  }
}

function addExport(module: Module, statement: Node): void {
  const declaration = statement['declaration'] as Node | null;
  if (declaration !== null) {
    for (const name of declare(module, declaration)) module.exports.set(name, name);
    return;
  }
  const source = statement['source'] as Node | null;
  for (const specifier of nodes(statement['specifiers'])) {
    const [local, exported] = [nameOf(specifier['local']), nameOf(specifier['exported'])];
    module.exports.set(exported, local);
    if (source !== null) module.bindings.set(local, { kind: 'import', from: textOf(source), name: local });
  }
}

/** Adds the names that a statement declares, and returns them. Other statements are added to `body`. */
function declare(module: Module, statement: Node): string[] {
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    const name = nameOf(statement['id']);
    module.bindings.set(name, { kind: 'own', node: statement });
    return [name];
  }
  if (statement.type === 'VariableDeclaration') {
    return nodes(statement['declarations']).flatMap((declarator) => {
      const names = namesIn(declarator['id'] as Node);
      for (const name of names) module.bindings.set(name, { kind: 'own', node: declarator });
      // A function runs when it is called; any other value is computed when the module is loaded.
      const value = declarator['init'] as Node | null;
      if (value !== null && !/Function/.test(value.type)) module.body.push(declarator);
      return names;
    });
  }
  if (!statement.type.startsWith('TS')) module.body.push(statement);
  return [];
}

const nodes = (value: unknown): Node[] => value as Node[];
const nameOf = (node: unknown): string => {
  const { type, name, value } = node as Node;
  return String(type === 'StringLiteral' ? value : name);
};
const textOf = (node: unknown): string => String((node as Node)['value']);

function namesIn(pattern: Node): string[] {
  return pattern.type === 'Identifier'
    ? [nameOf(pattern)]
    : childrenOf(pattern).flatMap((child) =>
        child.type === 'ObjectProperty' ? namesIn(child['value'] as Node) : namesIn(child),
      );
}

/** Returns the nodes directly below a node, without types, which do not exist at run time. */
export function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'loc' ? [] : (Array.isArray(value) ? value : [value]).filter(isNode),
  );
}

const ERASED =
  /^TS(TypeAnnotation|TypeParameterInstantiation|TypeParameterDeclaration|InterfaceDeclaration|TypeAliasDeclaration)$/;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Node>).type === 'string' &&
  !ERASED.test((value as Node).type);
