import { CODE } from '../answer.js';
import { at, type Reached } from './reach.js';
import type { Node } from './parse-module.js';

/** An error code in the source. */
export interface CodeUse {
  /** Null if it is not a literal. */
  code: string | null;
  file: string;
  line: number;
  column: number;
}

/** Returns the codes that a script can return: first arguments of `fail`, and values of `code` in its own answers. */
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

/** An argument in the specification that a script passes to `main`: `<file>`, `[count]`, `--json`. */
export interface SpecifiedArgument {
  name: string;
  required: boolean;
  line: number;
  column: number;
}

/**
 * Returns the arguments that a script specifies in its call of `main`. Null if there is no such call, or it is unclear.
 */
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
