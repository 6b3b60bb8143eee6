import { defineConfig } from 'vitest/config';

/** `npm run test:agents`: tests the real agents, installed from npm, with a scripted model. */
export default defineConfig({
  test: {
    name: 'agents',
    include: ['test/agents/real/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 300_000, // the first test of an agent installs it
    hookTimeout: 300_000,
  },
});
