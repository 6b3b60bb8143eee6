import { testPipeline } from './pipeline.js';

testPipeline('pi');
