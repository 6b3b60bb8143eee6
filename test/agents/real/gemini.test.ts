import { testPipeline } from './pipeline.js';

testPipeline('gemini');
