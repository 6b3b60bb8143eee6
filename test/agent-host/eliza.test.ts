import { describe } from 'vitest';
import { newFolder } from '../host/temporary.js';
import { fakeCore } from './fake-core.js';
import { writeFiles } from './run-host.js';
import { testRuntime } from './runtime-cases.js';
import { PLUGIN } from './scripted-plugin.js';

describe('the agent eliza, with a stand-in for ElizaOS', () => {
  testRuntime({
    folder: async () => {
      const folder = await newFolder();
      await writeFiles(folder, { ...fakeCore(), 'plugin.mjs': PLUGIN });
      return folder;
    },
    node: () => Promise.resolve(process.execPath),
    plugins: [],
  });
});
