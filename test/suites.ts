/** The files that need a Temporal server; the others run without one. */
export const TEMPORAL = [
  'workflows',
  'commands',
  'viewer',
  'planning',
  'client',
  'chaos',
  'package',
  'documents',
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Run by `npm run test:production` and `test:agents`: they need programs that take minutes to build or install. */
export const APART = ['test/production/**/*.test.ts', 'test/agents/real/**/*.test.ts'];

/** Run by `npm run test:long`, because they are many: tests of commands and workflows that need 15 seconds or more. */
export const SLOW = ['test/**/*.slow.test.ts'];

/**
 * Run by `npm run test:long`, three at a time, because each takes long: separate servers, kills and waits, sandboxes, containers,
 * gigabytes, full disks, and every error code.
 */
export const LONG = [
  'test/long/**/*.test.ts',
  'test/@(action/steps|walks/walks).test.ts',
  'test/chaos/**/*.test.ts',
  'test/agent-scripts/@(contract|error-codes).test.ts',
  'test/platform/process/supervise-@(end|full-disk).test.ts',
  'test/workflows/sweep-@(histories|placed).test.ts',
  'test/commands/@(asking-gates|broken-places|compare-bias|e2b|eliza-matrix|engine|engine-stop|hostile|injection|large-file|mocked-endpoints|privacy|sandbox|scripts-check|shared-sweep|shut-workspace).test.ts',
  'test/documents/runnable.test.ts',
  'test/store/shared/s3-store.test.ts',
  'test/environments/@(container-contract|e2b|e2b-contract).test.ts',
];
