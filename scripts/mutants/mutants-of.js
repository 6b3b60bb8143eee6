import ts from 'typescript';

/**
 * A change of a source text that a test should notice: `start` and `end` span what `text` replaces. `around` spans the
 * whole expression or statement: where it does not run, no test can notice the change.
 * @typedef {{ start: number, end: number, text: string }} Edit
 * @typedef {Edit & { kind: string, line: number, around: { start: number, end: number, isStatement: boolean } }} Mutant
 * @typedef {{ kind: string, of: ts.Node, text: string }} Change
 */

/** @type {Record<string, [kind: string, text: string]>} */
const OPERATORS = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '??': ['logic', '&&'],
};

/** Without these calls nothing is left out, ordered or changed. */
const DROPPED_METHODS = [
  ...['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed', 'concat'],
  ...['trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase', 'padStart', 'padEnd', 'replace', 'replaceAll'],
];

/** @type {Record<string, string>} */
const EXCHANGED_METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
};

/**
 * Returns all mutants of a TypeScript source, in the order of the text. Some of them have type errors.
 * @param {string} source
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const { kind, of, text } of changesOf(node)) {
      const start = of.getStart();
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      const around = { start: node.getStart(), end: node.end, isStatement: ts.isStatement(node) };
      mutants.push({ kind, line, start, end: of.end, text, around });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return mutants;
}

/**
 * @param {string} source
 * @param {Edit} edit
 */
export const applied = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

/** @param {ts.Node} node @returns {Change[]} */
const changesOf = (node) =>
  [
    changeOfCondition(node),
    changeOfOperator(node),
    changeOfStep(node),
    changeOfCall(node),
    changeOfStatement(node),
    changeOfLiteral(node),
  ].filter((change) => change !== null);

/** @param {ts.Node} node @returns {Change | null} */
function changeOfCondition(node) {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return { kind: 'condition', of: node, text: node.operand.getText() };
  // An exchanged operator negates these, too.
  if (ts.isBinaryExpression(node) && ['===', '!=='].includes(node.operatorToken.getText())) return null;
  const { parent } = node;
  const isCondition =
    ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)
      ? parent.expression === node
      : (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === node;
  return isCondition ? { kind: 'condition', of: node, text: `!(${node.getText()})` } : null;
}

/** @param {ts.Node} node @returns {Change | null} */
function changeOfOperator(node) {
  if (!ts.isBinaryExpression(node)) return null;
  const [kind, text] = OPERATORS[node.operatorToken.getText()] ?? [];
  return kind === undefined || text === undefined ? null : { kind, of: node.operatorToken, text };
}

/** `++` and `--`. @param {ts.Node} node @returns {Change | null} */
function changeOfStep(node) {
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return null;
  const { PlusPlusToken, MinusMinusToken } = ts.SyntaxKind;
  if (node.operator !== PlusPlusToken && node.operator !== MinusMinusToken) return null;
  const [operator, operand] = [node.operator === PlusPlusToken ? '--' : '++', node.operand.getText()];
  const text = ts.isPrefixUnaryExpression(node) ? operator + operand : operand + operator;
  return { kind: 'arithmetic', of: node, text };
}

/** @param {ts.Node} node @returns {Change | null} */
function changeOfCall(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  const { name, expression: receiver } = node.expression;
  if (DROPPED_METHODS.includes(name.text)) return { kind: 'method', of: node, text: receiver.getText() };
  const text = Object.hasOwn(EXCHANGED_METHODS, name.text) ? EXCHANGED_METHODS[name.text] : undefined;
  return text === undefined ? null : { kind: 'method', of: name, text };
}

/** @param {ts.Node} node @returns {Change | null} */
const changeOfStatement = (node) =>
  ts.isExpressionStatement(node) ||
  ts.isReturnStatement(node) ||
  ts.isThrowStatement(node) ||
  ts.isBreakOrContinueStatement(node)
    ? { kind: 'statement', of: node, text: ';' }
    : null;

/** @param {ts.Node} node @returns {Change | null} */
function changeOfLiteral(node) {
  const { parent } = node;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { kind: 'literal', of: node, text: 'false' };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { kind: 'literal', of: node, text: 'true' };
  if (ts.isNumericLiteral(node) && !isName(node))
    return { kind: 'literal', of: node, text: node.text === '1' ? '0' : `(${node.getText()} + 1)` };
  if (ts.isTemplateExpression(node) && !ts.isTaggedTemplateExpression(parent))
    return { kind: 'text', of: node, text: "''" };
  if (!ts.isStringLiteralLike(node) || isName(node) || ts.isTaggedTemplateExpression(parent)) return null;
  return { kind: 'text', of: node, text: node.text === '' ? "'mutant'" : "''" };
}

/** @param {ts.Node} node */
function isName(node) {
  const { parent } = node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (ts.isPropertyAssignment(parent) || ts.isEnumMember(parent)) && parent.name === node;
}
