import { describe } from 'vitest';
import { acpCli } from '../acp-clis.js';
import { testAcp } from './acp-pipeline.js';

const hasPython = (await acpCli('vibe').provide()) !== null;

describe.skipIf(!hasPython)('where there is Python 3.12', () => {
  for (const name of ['vibe', 'hermes', 'fast-agent'] as const) testAcp(name);
});
