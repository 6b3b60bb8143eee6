/** What a project's config says of an agent. Values of `env` are resolved before an agent is made of it. */
export interface AgentSettings {
  command?: string | undefined;
  args: string[];
  models: string[];
  env: Record<string, string>;
  /** Built-in agents only. */
  auth?: 'key' | 'login' | undefined;
  /** The others only: built-in agents know this of themselves. */
  prompt?: 'arg' | 'stdin' | 'file' | undefined;
  output?: 'text' | 'jsonl' | undefined;
  version_command?: string | undefined;
  free?: boolean | undefined;
}
