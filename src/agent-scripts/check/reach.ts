import type { Problem } from '#lib';
import { childrenOf, parseModule, type Binding, type Module, type Node } from './parse-module.js';

/** A node that a program can reach, and its module. */
export interface Reached {
  module: Module;
  node: Node;
}

/** Returns the text of a module by its path. Null if there is none. */
export type ReadModule = (path: string) => string | null;

/**
 * Finds everything that a program can reach through relative imports: the statements that run when its modules are
 * loaded, and the declarations that these refer to. So a script is only responsible for the parts of a shared module
 * that it uses. Scopes are ignored when names are compared, which at worst finds too much.
 */
export function moduleGraph(entry: string, read: ReadModule): { reached: Reached[]; problems: Problem[] } {
  const modules = new Map<string, Module | null>();
  const problems: Problem[] = [];
  const reached: Reached[] = [];
  const seen = new Set<Node>();

  function load(path: string, from: Reached | null): Module | null {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const text = read(path);
    const module = text === null ? null : parsed(path, text);
    if (text === null && from !== null)
      problems.push({
        file: from.module.path,
        path: '',
        ...at(from.node),
        message: `imports ${path}, which does not exist`,
      });
    modules.set(path, module);
    if (module === null) return null;
    for (const { from: specifier, node } of module.imports)
      if (isRelative(specifier)) load(resolve(path, specifier), { module, node });
    for (const node of module.body) visit(module, node);
    return module;
  }
  function parsed(path: string, text: string): Module | null {
    try {
      return parseModule(path, text);
    } catch (error) {
      const { loc, message } = error as Error & { loc?: { line: number; column: number } };
      const where = { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 };
      problems.push({ file: path, ...where, path: '', message: message.replace(/\s*\(\d+:\d+\)$/, '') });
      return null;
    }
  }
  function follow(module: Module, binding: Binding): void {
    if (binding.kind === 'own') visit(module, binding.node);
    else if (isRelative(binding.from)) {
      const other = load(resolve(module.path, binding.from), null);
      if (other === null) return;
      for (const name of binding.name === null ? other.exports.keys() : [binding.name]) {
        const inside = other.bindings.get(other.exports.get(name) ?? '');
        if (inside !== undefined) follow(other, inside);
      }
    }
  }
  function visit(module: Module, top: Node): void {
    const open = [top];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      reached.push({ module, node });
      if (node.type === 'Identifier') {
        const binding = module.bindings.get(String(node['name']));
        if (binding !== undefined) follow(module, binding);
      }
      open.push(...childrenOf(node));
    }
  }
  load(entry, null);
  return { reached, problems };
}

/** The place where a node begins. Line and column start at 1. */
export const at = ({ loc }: Node): { line: number; column: number } => ({
  line: loc?.start.line ?? 1,
  column: (loc?.start.column ?? 0) + 1,
});

const isRelative = (specifier: string): boolean => /^\.{1,2}\//.test(specifier);

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
