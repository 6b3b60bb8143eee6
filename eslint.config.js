import tseslint from 'typescript-eslint';

const CLAUSE = /^[\s*]*(What|Whether|How|Why|Those|Which|Who)\b/;
const MAX_LENGTH = 120;

/**
 * A comment is a statement about the code, such as "The reason why ..." or "True if ...", and its lines are short.
 * @type {import('eslint').Rule.RuleModule}
 */
const comments = {
  create: (context) => ({
    Program() {
      for (const { value, loc } of context.sourceCode.getAllComments()) {
        if (loc == null) continue;
        if (CLAUSE.test(value)) context.report({ loc, message: 'a comment begins with a clause that has no subject' });
        for (let line = loc.start.line; line <= loc.end.line; line += 1) {
          const text = context.sourceCode.lines[line - 1] ?? '';
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
