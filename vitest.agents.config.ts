import { defineConfig } from 'vitest/config';

/** `npm run test:agents`: the real agents, installed from npm, with a scripted model. */
export default defineConfig({
  test: {
    name: 'agents',
    include: ['test/agents/real/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // what was built is run as it is
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 300_000, // the first test of an agent installs it
    hookTimeout: 300_000,
  },
});
