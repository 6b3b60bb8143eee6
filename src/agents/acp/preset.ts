import { withVersion } from '#lib';
import type { Agent, AgentRequest, AgentSettings, LaunchFile, ModelAccess } from '../agent.js';
import type { AcpReading } from '../streams/acp-reading.js';
import type { AcpResume } from './acp-file.js';

/** The settings for a model and its key. The key goes into a variable, never into a file. */
interface Channel {
  args?: string[];
  env: Record<string, string>;
  files?: LaunchFile[];
}

/** The model of a cell, at a provider with an API like OpenAI's, or Anthropic's. */
interface Choice extends Pick<AgentRequest, 'home' | 'config'> {
  provider: string;
  model: string;
  address: string;
  key: string | null;
}

/** The facts about an agent that speaks ACP (specs/reference/agents.md has the versions that were tried). */
export interface AcpPreset {
  command: string;
  /** The command that installs the version that was tried. */
  install?: string;
  args: readonly string[];
  reading: AcpReading;
  /** The session mode in which it asks for nothing. Null if it needs none. */
  mode: string | null;
  options?: Readonly<Record<string, string>>;
  /** The request that continues a session that was killed within a command. Null if there is none. */
  resume: AcpResume | null;
  /** The reason why it cannot be given MCP servers. Null if it can. */
  mcpProblem: string | null;
  /**
   * The adapter whose variables and files it shares, and whose places of skills and instructions; or else how it gets
   * its model.
   */
  like: ((settings: AgentSettings) => Agent) | null;
  /** Where it looks for skills and instructions. Absent if that is not known, or as `like` says. */
  subject?: Agent['subject'];
  /** Its logs, in files of its own, of what the protocol does not say. */
  logs?: Pick<Agent, 'lastAnswer' | 'firstRequest' | 'usageInLog'>;
  channel: (choice: Choice) => Channel;
  /** Set if it can also use Anthropic's API. */
  speaksAnthropic?: true;
  /** Set if it is told its model in the session. */
  choosesModel?: true;
}

export const KEY_VARIABLE = 'LLM_TOOL_TEST_AGENT_KEY';

export const NO_MCP = 'it does not start the servers that it is given';

/** The size that agents must be told of a model that they do not know, in tokens. */
export const CONTEXT = 128_000;

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com';

/** The address of a provider's API. The one of a configured provider is complete. */
export const addressOf = (provider: string, access: ModelAccess | null): string =>
  provider === 'anthropic'
    ? (access?.baseUrl ?? ANTHROPIC)
    : provider === 'openai'
      ? withVersion(access?.baseUrl ?? OPENAI, '/v1')
      : (access?.baseUrl ?? '');

export const jsonFile = (path: string, content: object): LaunchFile => ({
  path,
  content: JSON.stringify(content, null, 2),
});

/** A TOML file of lines, and of names with texts. A TOML string is like a JSON string, except that DEL is escaped. */
export const toml = (path: string, lines: readonly (string | [name: string, value: string])[]): LaunchFile => ({
  path,
  content: lines
    .map((line) =>
      typeof line === 'string' ? line : `${line[0]} = ${JSON.stringify(line[1]).replaceAll('\u007F', '\\u007f')}`,
    )
    .concat('')
    .join('\n'),
});
