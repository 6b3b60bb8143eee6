export { acpAgentNames, acpPresetNames } from './acp/presets.js';
export type {
  Agent,
  AgentEnd,
  AgentLaunch,
  AgentRequest,
  Classified,
  LaunchFile,
  LoginFile,
  McpProgram,
  ModelAccess,
  RetryHint,
  StreamParser,
} from './agent.js';
export { PLACEHOLDERS } from './command.js';
export { adapterNames, adaptersWith, agentOfCell, knownAgents } from './known-agents.js';
export { type PromptParts, systemPrompt } from './loop/system-prompt.js';
export {
  commandOf,
  failedCall,
  performCall,
  readCall,
  toolsOfLoop,
  type ToolOutput,
  type ToolProgram,
  type ToolResult,
} from './loop/tools.js';
export { MockScript } from './mock-schema.js';
export { none } from './mock.js';
export { type Contradiction, createContradictionFinder, createEndTracker } from './streams/contradictions.js';
export { errorEvent, isUnexplained, NO_ANSWER } from './streams/stream-events.js';
export { withSubject } from './subject-files.js';
