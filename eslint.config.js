import tseslint from 'typescript-eslint';

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
