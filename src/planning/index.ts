export {
  agentSettings,
  checkAgent,
  checkModel,
  lengthProblems,
  matrixProblems,
  misfitsOfOwnAgents,
  profileProblems,
} from './agent-problems.js';
export { checkAgentConsent, refuseUnready } from './checks.js';
export { judgeProblems } from './choose-judge.js';
export { type Draft, draftOf, type DraftOptions } from './draft.js';
export { exposedCheckWarnings } from './exposed-checks.js';
export { isFile, isFolder, loadText, readText } from './file-checks.js';
export { runtimeProblems } from './find-runtime.js';
export { describeSearch, findFiles, type SearchedFolder, searchFiles } from './find-scenario-files.js';
export { skillName } from './find-subject.js';
export { neededVariables, unsetVariables } from './needed-variables.js';
export type { FinishedBase } from './pair-up.js';
export { plan, type Planned, resolve } from './plan.js';
export { checkWritable, openProject, type Project, projectByDefault, writeProblem } from './project.js';
export { resolveRegrade, type ToRegrade } from './resolve-regrade.js';
export { checkVariant, chooseCells, type ResolvedSweep } from './resolve-sweep.js';
export { leftOutOf, loadScenarios, selectMatrix, selectScenarios } from './select-scenarios.js';
export {
  notReusedWarnings,
  placeholderWarnings,
  serverWarnings,
  targetsOfScenarios,
  targetWarnings,
  uncheckedWarnings,
} from './warnings.js';
export { storeInputsAnd, writePlan, type WrittenPlan } from './write-plan.js';
