import tseslint from 'typescript-eslint';

export default tseslint.config(
  // `.agents` and what is scaffolded into it are for Deno, which checks and lints them.
  {
    ignores: [
      '.agents',
      'templates',
      'dist',
      'coverage',
      'fixtures',
      'llm-tool-test-results',
      '.dependency-cruiser.mjs',
    ],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // Workflow code runs in a deterministic sandbox: whatever needs the machine belongs in an activity.
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: ['node:*', 'fs', 'path', 'child_process', 'zod', 'yaml', 'execa'] },
      ],
    },
  },
  {
    // They are libraries: only commands talk to the user.
    files: ['src/planning/**/*.ts', 'src/client/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr', 'exit', 'argv'].map((property) => ({ object: 'process', property })),
      ],
    },
  },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
);
