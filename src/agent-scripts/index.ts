export { readScriptAnswer } from './answer.js';
export { type Called, callScript, type ScriptPlace } from './call-script.js';
export { exampleProblem, readmeProblems } from './check/readme-problems.js';
export { sourceProblems } from './check/source-problems.js';
export { DENO_ENV, NO_DENO, parseDenoCommand, permissionsOf, placeholderIn } from './deno-command.js';
export { scriptFields, scriptPaths, type ScriptPaths, SCRIPTS_FOLDER } from './script-name.js';
export { type Example, parseReadme, type Readme, usageCommand } from './readme.js';
