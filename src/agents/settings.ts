/** An agent's settings in a project's config. Variables in values of `env` are already replaced. */
export interface AgentSettings {
  command?: string | undefined;
  /** Path of the module that is the agent, in place of a command. */
  module?: string | undefined;
  args: string[];
  models: string[];
  env: Record<string, string>;
  /** For built-in agents only. */
  auth?: 'key' | 'login' | undefined;
  /** For other agents only, like the following fields: adapters of built-in agents determine these themselves. */
  prompt?: 'arg' | 'stdin' | 'file' | undefined;
  output?: 'text' | 'jsonl' | undefined;
  version_command?: string | undefined;
  free?: boolean | undefined;
}
