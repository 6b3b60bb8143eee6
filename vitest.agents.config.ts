import { defineConfig } from 'vitest/config';

/** `npm run test:agents`: the real agents, installed from npm, with a scripted model. */
export default defineConfig({
  test: {
    name: 'agents',
    include: ['test/agents/real/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 300_000, // the first test of an agent installs it
    hookTimeout: 300_000,
  },
});
