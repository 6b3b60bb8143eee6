export { modelAnswersOf, checkedUse, checkGate, GateSpec, gateSubject, isQuickGate, stopsSteps } from './all-gates.js';
export { MAX_ANSWER_SECS, MAX_VOTES } from './asking.js';
export { readEvaluator, readScriptEvaluator } from './evaluators.js';
export {
  type CheckedUse,
  type FileStat,
  fileText,
  type GateContext,
  type GateQuestion,
  type GateWork,
  type VerifierFiles,
  type VerifierRequest,
  type WorkInput,
  type WorkResult,
} from './gate.js';
export { type JudgeScores, answerSchema, findObject, readAnswer } from './judge/answer.js';
export {
  agentPrompt,
  composeGatePrompt,
  composePrompt,
  dataRule,
  type JudgePrompt,
  type JudgeQuestion,
  markData,
  type MarkedData,
  promptDocument,
} from './judge/prompt.js';
export { Rubric } from './judge/rubric.js';
export { combineVotes } from './judge/votes.js';
export { doWork, isQuick } from './work.js';
