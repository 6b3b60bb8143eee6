export { answersAsked, checkedUse, checkGate, GateSpec, gateSubject, isQuickGate } from './all-gates.js';
export { MAX_ANSWER_SECS, MAX_VOTES } from './asking.js';
export { readScriptEvaluator } from './evaluators/agent-script.js';
export { readEvaluator } from './evaluators/script.js';
export {
  type CheckedUse,
  type FileStat,
  fileText,
  type GateContext,
  type GateQuestion,
  type GateWork,
  type WorkInput,
  type WorkResult,
} from './gate.js';
export { type Answer, answerSchema, readAnswer } from './judge/answer.js';
export { findObject } from './judge/find-object.js';
export { composeGatePrompt } from './judge/gate-prompt.js';
export { dataRule, markData, type MarkedData } from './judge/marked-data.js';
export {
  agentPrompt,
  composePrompt,
  type JudgePrompt,
  type JudgeQuestion,
  promptDocument,
} from './judge/prompt.js';
export { Rubric } from './judge/rubric.js';
export { combineVotes } from './judge/votes.js';
export { doWork, isQuick } from './work.js';
