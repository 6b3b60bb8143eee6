import { testAcp } from './acp-pipeline.js';

for (const name of ['copilot', 'opencode', 'gemini'] as const) testAcp(name);
