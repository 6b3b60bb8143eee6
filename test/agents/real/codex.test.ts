import { testPipeline } from './pipeline.js';

testPipeline('codex');
