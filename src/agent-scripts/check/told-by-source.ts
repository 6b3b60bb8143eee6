import { CODE } from '../answer.js';
import { at, type Reached } from './reach.js';
import type { Node } from './parse-module.js';

/** An error code in the source. */
export interface CodeUse {
  /** null where it is no literal. */
  code: string | null;
  file: string;
  line: number;
  column: number;
}

/** The codes that a script can answer with: first arguments of `fail`, and values of `code` in answers of its own. */
export function codeUses(reached: readonly Reached[]): CodeUse[] {
  return reached.flatMap(({ module, node }): CodeUse[] => {
    const where = { file: module.path, ...at(node) };
    if (node.type === 'CallExpression' && isNamed(node['callee'] as Node, 'fail')) {
      const [first] = node['arguments'] as Node[];
      return [{ code: first?.type === 'StringLiteral' ? String(first['value']) : null, ...where }];
    }
    if (node.type !== 'ObjectProperty' || !isNamed(node['key'] as Node, 'code')) return [];
    const value = node['value'] as Node;
    const text = value.type === 'StringLiteral' ? String(value['value']) : '';
    return CODE.test(text) ? [{ code: text, ...where }] : [];
  });
}

/** An argument in the specification that a script gives to `main`: `<file>`, `[count]`, `--json`. */
export interface SpecifiedArgument {
  name: string;
  required: boolean;
  line: number;
  column: number;
}

/** The arguments that a script's `main` takes; null where it has no such call that can be read. */
export function specifiedArguments(reached: readonly Reached[], source: string): SpecifiedArgument[] | null {
  const call = reached.find(
    ({ module, node }) =>
      module.path === source && node.type === 'CallExpression' && isNamed(node['callee'] as Node, 'main'),
  );
  const [first] = (call?.node['arguments'] as Node[] | undefined) ?? [];
  if (first?.type !== 'ObjectExpression') return null;
  return (first['properties'] as Node[]).flatMap((property) => {
    const key = property['key'] as Node | undefined;
    if (key?.type !== 'StringLiteral') return [];
    const name = String(key['value']);
    return [{ name: name.replace(/[<>[\]]/g, ''), required: name.startsWith('<'), ...at(property) }];
  });
}

const isNamed = (node: Node, name: string): boolean => node.type === 'Identifier' && node['name'] === name;
