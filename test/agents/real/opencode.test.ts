import { testPipeline } from './pipeline.js';

testPipeline('opencode');
