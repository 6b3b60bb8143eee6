import { testAcp } from './acp-pipeline.js';

for (const name of ['qwen', 'kimi', 'claude', 'codex'] as const) testAcp(name);
