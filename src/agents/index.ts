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
export { isContextFailure } from './failures/provider-failure.js';
export { adapterNames, adaptersWith, agentOfCell, knownAgents } from './known-agents.js';
export { answerOfServer, nameServerTools, type ServerCall, type ServersFile } from './loop/server-tools.js';
export { type PromptParts, systemPrompt } from './loop/system-prompt.js';
export {
  commandOf,
  failedCall,
  MAX_COMMAND_SECS,
  performCall,
  readCall,
  toolsOfLoop,
  type ToolOutput,
  type ToolProgram,
  type ToolResult,
} from './loop/tools.js';
export type { ServerTool } from './mcp-client.js';
export { MockScript } from './mock-schema.js';
export { none } from './mock.js';
export { type Contradiction, createContradictionFinder, createEndTracker } from './streams/contradictions.js';
export { errorEvent, isUnexplained, NO_ANSWER } from './streams/stream-events.js';
export { mcpSettings, withSubject } from './subject-files.js';
