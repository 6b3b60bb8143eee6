import type { Mock } from '#mocks';
import type { RuntimeSetup } from './runtime.js';

/** The parts of a run that concern agents which run in the agent host: a program of ours (`src/agent-host`). */
export interface HostedRun {
  /** Folder of the scenario file. Packages and relative paths are looked up from there. */
  folder: string;
  /** Absolute paths of files and folders that the agent consists of. A sandbox must show them. */
  reads: string[];
  setup: RuntimeSetup | null;
  /** Names of the variables that plugins may read. */
  settings?: string[];
  /** Values of the variables to which the setup refers, and of those that plugins may read. */
  variables: Record<string, string>;
  /** All mocks of the scenario. Those of services are for the host. */
  mocks: Mock[];
  /** Folder for records of mocked calls. */
  calls: string;
  /** The cell: the same for each run of it, so that chance can be repeated. */
  seed: string;
  agent: string;
  scenario: string;
}

/** A request to the agent host: one turn of a conversation. Its form as JSON; it contains no secrets. */
export interface HostRequest extends Omit<HostedRun, 'variables' | 'reads'> {
  kind: 'eliza' | 'module';
  /** Path of the module of a `module` agent. */
  module: string | null;
  input: string;
  /** Text that precedes the conversation. */
  system: string | null;
  /** Overrides the models of the agent; null: the agent uses its own. */
  model: HostModel | null;
  /** Folder with the state after each turn of this session: `1.json` is the state after the first one. */
  states: string;
  sessionId: string;
  /** Number of the turn, from 1. */
  turn: number;
}

export interface HostModel {
  /** As the cell names it. */
  name: string;
  provider: string;
  model: string;
  baseUrl: string | null;
  /** True if the provider is defined in the config, so that its API is like OpenAI's. */
  configured: boolean;
}

/** Variables of the agent host. It removes them from its environment before it loads code of others. */
export const HOST_VARIABLES = {
  key: 'LLM_TOOL_TEST_AGENT_KEY',
  values: 'LLM_TOOL_TEST_AGENT_VALUES',
} as const;

/** Exit status of the agent host if the agent cannot be set up as the scenario or the config says. */
export const CANNOT_SET_UP = 78;
