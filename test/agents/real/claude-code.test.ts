import { testPipeline } from './pipeline.js';

testPipeline('claude-code');
