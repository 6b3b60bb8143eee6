export { completeWords } from './completion.js';
export { createProgram } from './program.js';
export { keepsLog, reportFailure } from './shared/failure.js';
