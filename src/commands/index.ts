export { completeWords } from './options/tools.js';
export { createProgram } from './program.js';
export { keepsLog, reportFailure } from './shared/failure.js';
