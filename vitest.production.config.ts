import { defineConfig } from 'vitest/config';

/** `npm run test:production`: what docker-compose.yml sets, proved without a Docker engine. */
export default defineConfig({
  test: {
    name: 'production',
    include: ['test/production/**/*.test.ts'],
    globalSetup: ['test/production/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // what was built is run as it is
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
