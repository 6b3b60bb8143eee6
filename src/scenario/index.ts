export {
  conditionPrompt,
  conditionSchema,
  readConditionAnswer,
  userMessage,
  userPrompt,
  withEarlierTurns,
} from './conversation-prompts.js';
export { containerVariables } from './container-variables.js';
export { type ConversationState, decideEnd } from './conversation.js';
export { withRegistered } from './yaml/acp-registry.js';
export { agentInputs, judgeInputs } from './agent-inputs.js';
export { Config, defaultConfig, parseConfig } from './config.js';
export { serverAddresses } from './database.js';
export { chooseHarmless, type ScenarioDraft, draftScenario } from './draft/draft-scenario.js';
export { readHelp, type ToolHelp } from './draft/read-help.js';
export { type Combination, combinationReader, combinationsOf, loadMatrix, matchesFilter } from './eliza/matrix.js';
export { Character, modelsOf } from './eliza/runtime-fields.js';
export { BUILD_SECS } from './environment.js';
export { cellOf, expandMatrix } from './expand-matrix.js';
export { jsonSchemaOf } from './json-schema.js';
export { readToml } from './load-toml.js';
export { loadScenario } from './load-scenario.js';
export { checkCommands, namedChecks, placedAgentScripts, placedGates } from './named-checks.js';
export {
  EffectiveScenario,
  isScheduledTime,
  JudgeSettings,
  judgeModelOf,
  Plan,
  PlanTemplate,
  scenarioOf,
  StoredSchedule,
  type UnstoredScenario,
  type When,
} from './plan.js';
export { publicNames } from './public-names.js';
export { readPromptfoo } from './promptfoo/read-config.js';
export type { LookBeside, ScenarioReader, ScenarioVariant } from './reader.js';
export { isElizaName, recognize, type Recognized, SCENARIO_ENDING } from './recognize.js';
export {
  type AgentStep,
  agentStepAt,
  checksNothing,
  type ConversationStep,
  findAgentStep,
  type HealthCheck,
  findModelGate,
  firstAgentStep,
  gatesOf,
  type PlacedGate,
  Scenario,
  type Step,
  withAgentTimeout,
  withoutMocks,
} from './scenario.js';
export { type Copied, isNamedLikeSuite, isSuite, SUITE_ENDING } from './suites/is-suite.js';
export { type CaseFiles, type PluginCase, pluginCase } from './suites/plugin-cases.js';
export { readSuite } from './suites/read-evals.js';
export { readCsv, readJsonLines } from './suites/read-prompts.js';
export { type CaseScenario, suiteScenarios } from './suites/suite-scenarios.js';
export type { Suite } from './suites/suite.js';
export { isTaskFile, nameOfTask, TASK_FILE } from './task/task-name.js';
export { WORKSPACE_FILES, writeTask } from './task/write-task.js';
export { Target, TARGET_PROGRAM } from './target.js';
export { withChecksOf, withoutFlags } from './with-checks-of.js';
export { loadRubric, parseYaml } from './yaml/load-yaml.js';
export { loadManifest, loadPlugin, PLUGIN_MANIFEST } from './yaml/load-plugin.js';
export { loadSkill } from './yaml/load-skill.js';
