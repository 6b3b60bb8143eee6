export { forgeableNotes, gateTitle } from './gate-title.js';
export { judgeSkipReason } from './judge-skip-reason.js';
export {
  cellLabel,
  cellLabeler,
  configurationLabel,
  DEFAULT_VARIANT,
  scenarioLabel,
} from './records/cell-label.js';
export { type Judged, judgedIn } from './review/judged.js';
export { comparedScores, givenScore, scoreText, votesText } from './verdict.js';
export { isAgentKind, type NamedStep, nameSteps, STEPS } from './step-names.js';
export { isFailedResult } from './transcript/text-result.js';
export { type McpCall, type McpRecord, mcpResultText } from './transcript/mcp-record.js';
export { pairMcpCalls } from './transcript/pair-mcp-calls.js';
export { skillsOf } from './transcript/skill-uses.js';
export { commandOf } from './transcript/structured-commands.js';
