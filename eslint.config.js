import tseslint from 'typescript-eslint';

const CLAUSE = /^[\s*]*(What|Whether|How|Why|Those|Which|Who)\b/;
const LOWER = /^ ?(?!eslint-|v8 |prettier-)[a-z]/;
const MAX_LENGTH = 120;

/**
 * A comment is a statement about the code, such as "The reason why ..." or "True if ...", and its lines are short. On
 * lines of its own, it begins with a capital letter, or with a name in backticks: `npm`.
 * @type {import('eslint').Rule.RuleModule}
 */
const comments = {
  create: (context) => ({
    Program() {
      const { lines } = context.sourceCode;
      for (const { type, value, loc } of context.sourceCode.getAllComments()) {
        if (loc == null) continue;
        if (CLAUSE.test(value)) context.report({ loc, message: 'a comment begins with a clause that has no subject' });
        const before = [lines[loc.start.line - 1]?.slice(0, loc.start.column) ?? '', lines[loc.start.line - 2] ?? ''];
        if (type === 'Line' && LOWER.test(value) && /^\s*$/.test(before[0] ?? '') && !/^\s*\/\//.test(before[1] ?? ''))
          context.report({ loc, message: 'a comment begins with a lower-case letter' });
        for (let line = loc.start.line; line <= loc.end.line; line += 1) {
          const text = lines[line - 1] ?? '';
          // Not a comment after code: its line is as long as the code.
          if (text.length > MAX_LENGTH && /^\s*(\/\/|\/?\*)/.test(text))
            context.report({
              loc: { line, column: MAX_LENGTH },
              message: `a line of a comment is longer than ${MAX_LENGTH} characters`,
            });
        }
      }
    },
  }),
};

export default tseslint.config(
  // Deno checks and lints `.agents` and the templates of scripts in it.
  {
    ignores: [
      '.agents',
      'src/commands/templates',
      '**/dist',
      'scripts/site/pages',
      'scripts/site/.vitepress/cache',
      'coverage',
      'fixtures',
      'llm-tool-test-results',
    ],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./test/tsconfig.json', './src/viewer/pages/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  { plugins: { house: { rules: { comments } } }, rules: { 'house/comments': 'error' } },
  {
    // Workflow code runs in a deterministic sandbox. Code that needs the machine belongs in an activity.
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: ['node:*', 'fs', 'path', 'child_process', 'zod', 'yaml', 'execa'] },
      ],
    },
  },
  {
    // These folders are libraries: only commands print and exit.
    files: ['src/planning/**/*.ts', 'src/client/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr', 'exit', 'argv'].map((property) => ({ object: 'process', property })),
      ],
    },
  },
  { files: ['**/*.{js,mjs}'], extends: [tseslint.configs.disableTypeChecked] },
);
