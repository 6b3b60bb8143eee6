import { defineConfig } from 'vitest/config';

/** `npm run test:production`: tests the settings of docker-compose.yml without a Docker engine. */
export default defineConfig({
  test: {
    name: 'production',
    include: ['test/production/**/*.test.ts'],
    globalSetup: ['test/production/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
