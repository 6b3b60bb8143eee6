import ts from 'typescript';

/** Returns the full declarations of all names that a declaration file exports, sorted, without comments and paths. */
export function publicTypes(file: string): string {
  const program = ts.createProgram([file], { noLib: true, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module`);
  const printer = ts.createPrinter({ removeComments: true });
  return checker
    .getExportsOfModule(module)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => {
      const { declarations = [] } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if (declarations.length === 0) throw new Error(`${symbol.name} has no declaration`);
      const texts = declarations.map((node) => {
        const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
        return printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
      });
      return `// ${symbol.name}\n${texts.join('\n')}\n`;
    })
    .join('\n');
}
