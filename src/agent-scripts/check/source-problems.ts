import type { Problem } from '#lib';
import { permissionsOf } from '../deno-command.js';
import { usageCommand, type Readme } from '../readme.js';
import type { ScriptPaths } from '../script-name.js';
import { permissionUses } from './permission-uses.js';
import { moduleGraph, type Reached, type ReadModule, at } from './reach.js';
import { CODE } from '../answer.js';
import type { Node } from './parse-module.js';

/** An error code in the source. */
interface CodeUse {
  /** Null if it is not a literal. */
  code: string | null;
  file: string;
  line: number;
  column: number;
}

/** Returns the codes that a script can return: first arguments of `fail`, and values of `code` in its own answers. */
function codeUses(reached: readonly Reached[]): CodeUse[] {
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
interface SpecifiedArgument {
  name: string;
  required: boolean;
  line: number;
  column: number;
}

/**
 * Returns the arguments that a script specifies in its call of `main`. Null if there is no such call, or it is unclear.
 */
function specifiedArguments(reached: readonly Reached[], source: string): SpecifiedArgument[] | null {
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

/** Codes of the library that any script may return. READMEs need not list them (specs/reference/agent-scripts.md). */
const OF_EVERY_SCRIPT = new Set(['INTERNAL_ERROR', 'PERMISSION_DENIED']);
/** The library's code for a missing argument. Only scripts with required arguments can return it. */
const MISSING = 'MISSING_ARGUMENT';

/** Finds differences between a script's README and its source: arguments, error codes, permissions. */
export function sourceProblems(readme: Readme, paths: ScriptPaths, read: ReadModule): Problem[] {
  const { reached, problems } = moduleGraph(paths.source, read);
  if (problems.length > 0) return problems;
  const specified = specifiedArguments(reached, paths.source);
  return [
    ...(specified === null ? [] : argumentProblems(readme, paths, specified)),
    ...codeProblems(readme, paths, reached, specified),
    ...permissionProblems(readme, paths, reached),
  ];
}

const inReadme = ({ readme: file }: ScriptPaths, line: number, message: string): Problem => ({
  file,
  line,
  column: 1,
  path: '',
  message,
});

const inSource = ({ file, line, column }: Omit<Problem, 'path' | 'message'>, message: string): Problem => ({
  file,
  line,
  column,
  path: '',
  message,
});

function argumentProblems(readme: Readme, paths: ScriptPaths, specified: SpecifiedArgument[]): Problem[] {
  const bare = (name: string): string => name.replace(/[<>[\]]/g, '').replace(/[ =].*$/, '');
  const rows = readme.arguments.map(({ line, value }) => ({ line, ...value, name: bare(value.name) }));
  return [
    ...specified.flatMap(({ name, required, ...place }): Problem[] => {
      const row = rows.find((one) => one.name === name);
      if (row === undefined)
        return [inSource({ file: paths.source, ...place }, `${name} is not in the table Arguments of ${paths.readme}`)];
      const says = `${name}: the source ${required ? 'requires it' : 'does not require it'}`;
      return row.required === required ? [] : [inReadme(paths, row.line, says)];
    }),
    ...rows
      .filter(({ name }) => !specified.some((one) => one.name === name))
      .map(({ line, name }) => inReadme(paths, line, `the source has no argument ${name}`)),
  ];
}

function codeProblems(
  readme: Readme,
  paths: ScriptPaths,
  reached: Reached[],
  specified: SpecifiedArgument[] | null,
): Problem[] {
  const taken = specified ?? readme.arguments.map(({ value }) => value);
  const requires = taken.some(({ required }) => required);
  const uses = codeUses(reached).filter(({ code }) => code !== MISSING || requires);
  const documented = readme.codes.filter(({ value }) => !OF_EVERY_SCRIPT.has(value));
  const isDocumented = (code: string): boolean =>
    OF_EVERY_SCRIPT.has(code) || documented.some(({ value }) => value === code);
  return [
    ...uses
      .filter(({ code }, at) => uses.findIndex((use) => use.code === code) === at)
      .flatMap(({ code, ...place }): Problem[] => {
        if (code === null) return [inSource(place, 'expected the code as a literal, so that it can be compared')];
        return isDocumented(code)
          ? []
          : [inSource(place, `${code} is not in the table Error Codes of ${paths.readme}`)];
      }),
    ...documented
      .filter(({ value }) => !uses.some(({ code }) => code === value))
      .map(({ line, value }) => inReadme(paths, line, `the source never returns ${value}`)),
  ];
}

function permissionProblems(readme: Readme, paths: ScriptPaths, reached: Reached[]): Problem[] {
  const usage = usageCommand(readme);
  const stated = typeof usage === 'string' ? null : [...permissionsOf(usage.flags).keys()];
  if (stated === null || stated.includes('all')) return []; // reported as a problem of the README
  const uses = permissionUses(reached);
  return [
    ...uses
      .filter(({ permissions }) => !permissions.some((permission) => stated.includes(permission)))
      .map(({ permissions, what, ...place }) => {
        const flags = permissions.map((permission) => `--allow-${permission}`).join(' or ');
        return inSource(place, `${what} needs ${flags}, which is missing from Usage in ${paths.readme}`);
      }),
    ...stated
      .filter((permission) => !uses.some(({ permissions }) => permissions.some((one) => one === permission)))
      .map((permission) =>
        inReadme(paths, readme.usage?.line ?? 1, `--allow-${permission} is listed, but nothing in the source needs it`),
      ),
  ];
}
