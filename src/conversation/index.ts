export { conditionSchema, readConditionAnswer } from './condition-answer.js';
export { type ConversationState, decideEnd } from './decide-end.js';
export { conversationFields, END_CONDITIONS } from './settings.js';
export { conditionPrompt, userMessage, userPrompt } from './user-prompt.js';
export { withEarlierTurns } from './with-earlier-turns.js';
