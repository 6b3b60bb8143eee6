/** Files that need a Temporal server; the others run without one. */
export const TEMPORAL = ['workflows', 'commands', 'planning', 'client', 'chaos', 'package', 'documents'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Run by `npm run test:production` and `npm run test:agents`: they need programs that take minutes to build or install. */
export const APART = ['test/production/**/*.test.ts', 'test/agents/real/**/*.test.ts'];

/**
 * Run by `npm run test:long`, since each takes long: servers of their own, kills and waits, sandboxes, gigabytes, full disks, and
 * every code of an error. Under chaos, `npm test` keeps a worker that is killed, and what others on the machine may forge.
 */
export const LONG = [
  'test/long/**/*.test.ts',
  'test/chaos/!(attacks-*|kill-worker).test.ts',
  'test/agent-scripts/error-codes.test.ts',
  'test/platform/process/supervise-full-disk.test.ts',
  'test/commands/@(engine|engine-stop|hostile|large-file|privacy|sandbox|scripts-check|shut-workspace).test.ts',
  'test/documents/runnable.test.ts',
];
