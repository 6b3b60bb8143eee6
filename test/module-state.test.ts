import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

/**
 * The state that modules may keep, by file. It must be true of it that a process may run any number of commands, in any
 * folder and environment, and none of them sees what another one left. What a command or worker finds out belongs into
 * its memory (host/remembered.ts).
 */
const ALLOWED: Readonly<Record<string, { names: string[]; why: string }>> = {
  'lib/format/table.ts': { names: ['segmenter'], why: 'a constant that takes 8 ms to make' },
  'host/fs/disk-space.ts': { names: ['block'], why: 'random bytes, any of them will do' },
  'host/process/process-identity.ts': {
    names: ['knownBootId', 'known'],
    why: 'neither the boot nor the identity of a process changes while it runs',
  },
  'host/process/spawn-detached.ts': {
    names: ['spawners'],
    why: 'a process that is running, by all that it was started with',
  },
  'host/process/waiting.ts': {
    names: ['looks', 'timer'],
    why: 'what is being watched now; each caller ends its own',
  },
  'activities/step/heartbeat.ts': {
    names: ['beating', 'performed'],
    why: 'the steps that are performed now, by their context and the id of their workflow; each ends its own',
  },
  'activities/watch/fail-orphaned-activities.ts': {
    names: ['underWay'],
    why: 'the steps that are performed now, by the ids of their attempts; each ends its own',
  },
  'client/save-review.ts': {
    names: ['oneByOne'],
    why: 'remembers nothing: lets one work after the other begin',
  },
  'store/shared/mirror-lines.ts': {
    names: ['inTurn'],
    why: 'remembers nothing: lets one work after the other begin',
  },
  'store/shared/pull-results.ts': {
    names: ['inTurn'],
    why: 'remembers nothing: lets one work after the other begin',
  },
  'mocks/endpoint-server.ts': {
    names: ['next', 'used', 'ticks'],
    why: 'a program: its process serves one run',
  },
  'agents/acp/acp-program.ts': {
    names: ['state', 'waiting'],
    why: 'a program: its process performs one turn',
  },
  'agents/mock-program.ts': { names: ['calls'], why: 'a program: its process performs one turn' },
  'statistics/log-factorial.ts': { names: ['logs'], why: 'a table of a function of numbers' },
  'agent-host/module-turn.ts': {
    names: ['running'],
    why: 'part of a program whose process performs one turn',
  },
};

const CHANGES = new Set(['add', 'set', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice']);
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
const KEEPS = /^create(\w*Cache|Mutex)$/;

/** Names of the variables and static properties of a module in which something could be kept. */
function stateIn(text: string): string[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  const changed = namesChanged(source);
  return source.statements.flatMap((statement) => {
    if (ts.isClassDeclaration(statement))
      return statement.members.filter(ts.isPropertyDeclaration).filter(isVariableOfClass).map(nameOf);
    if (!ts.isVariableStatement(statement)) return [];
    const isConstant = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    return statement.declarationList.declarations
      .filter((one) => !isConstant || isContainer(one.initializer) || changed.has(nameOf(one)))
      .map(nameOf);
  });
}

const nameOf = ({ name }: { name: ts.Node }): string => name.getText();

const isVariableOfClass = (member: ts.PropertyDeclaration): boolean =>
  [ts.SyntaxKind.StaticKeyword].every((kind) => member.modifiers?.some((one) => one.kind === kind) === true) &&
  member.modifiers?.some((one) => one.kind === ts.SyntaxKind.ReadonlyKeyword) !== true;

/** True if this makes something empty, which would be of no use if nothing were put into it. */
function isContainer(made: ts.Expression | undefined): boolean {
  if (made === undefined) return true;
  if (ts.isArrayLiteralExpression(made)) return made.elements.length === 0 && !ts.isAsExpression(made.parent);
  if (ts.isNewExpression(made))
    return COLLECTIONS.has(made.expression.getText()) && (made.arguments?.length ?? 0) === 0;
  return ts.isCallExpression(made) && KEEPS.test(made.expression.getText());
}

/** Names of what the module changes: by a method, or by an assignment to a part of it. */
function namesChanged(source: ts.SourceFile): Set<string> {
  const changed = new Set<string>();
  const rootOf = (node: ts.Expression): string =>
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
      ? rootOf(node.expression)
      : node.getText();
  const isPart = (node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression =>
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      if (CHANGES.has(name.text) && ts.isIdentifier(expression)) changed.add(expression.text);
    }
    if (
      ts.isBinaryExpression(node) &&
      isAssignment(node.operatorToken.kind) &&
      isPart(node.left) &&
      !isPlace(node.left)
    )
      changed.add(rootOf(node.left));
    if ((ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) && isPart(node.operand)) {
      if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken)
        changed.add(rootOf(node.operand));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return changed;
}

/** Where a pattern begins to search. Whoever searches sets it before. */
const isPlace = (node: ts.Expression): boolean => node.getText().endsWith('.lastIndex');

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

test('no module keeps state, except for what is listed with a reason', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    // The page of the viewer is a program in a browser.
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('viewer/pages/'));
  expect(files.length).toBeGreaterThan(500);
  const found = files
    .map((file) => [file, stateIn(readFileSync(join(SOURCE, file), 'utf8')).sort()] as const)
    .filter(([, names]) => names.length > 0);
  const allowed = Object.entries(ALLOWED).map(([file, { names }]) => [file, names.toSorted()]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allowed));
});

test.each([
  ['let count = 0;', ['count']],
  ['export const known = new Map<string, number>();', ['known']],
  ['const names: string[] = [];', ['names']],
  ['const one = createLruCache<string>(3);', ['one']],
  ["const some = new Set(['a']);\nexport const add = () => some.add('b');", ['some']],
  ['const here = { at: 0 };\nexport const go = () => void (here.at += 1);', ['here']],
  ['const all = [1];\nexport const go = () => { all[0] = 2; };', ['all']],
  ['const n = { at: 0 };\nexport const go = () => n.at++;', ['n']],
  ['class Counter { static last = 0; static readonly first = 0; own = 1 }', ['last']],
  ["const KINDS = new Set(['a']);\nconst ORDER = ['a', 'b'];\nexport const has = () => KINDS.has('a');", []],
  ['const known = remembered(() => new Map<string, number>());\nknown().set("a", 1);', []],
  ['export const f = () => { let at = 0; const seen = new Set(); seen.add(at++); };', []],
])('finds the state in %j', (text, names) => {
  expect(stateIn(text)).toEqual(names);
});
