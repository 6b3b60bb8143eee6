/** Private folders below the root of a run, next to its workspace; created and removed together with it. */
export const RUN_FOLDERS = {
  home: 'home',
  config: 'config',
  temporary: 'tmp',
  /** HOME and temporary folder for checks of the agent's work. An agent in a sandbox cannot see it. */
  checks: 'checks',
  /** Copies of the checks folder, each for one command. */
  checkFiles: 'check-files',
  /** Programs that come first on PATH. */
  binaries: 'bin',
  /** The input and the records of the proxy of MCP servers. An agent in a sandbox cannot see them. */
  proxy: 'mcp',
  /** Sockets by which the agent reaches what works beside it. */
  sockets: 'sockets',
} as const;

/** Folders in `checks`: HOME and temporary folder. */
export const CHECKS_FOLDERS = [`${RUN_FOLDERS.checks}/home`, `${RUN_FOLDERS.checks}/tmp`] as const;

/** Folders that the agent may write to. */
export const AGENT_FOLDERS = [RUN_FOLDERS.home, RUN_FOLDERS.config, RUN_FOLDERS.temporary] as const;

/** Folders that exist before the agent starts. */
export const FIRST_FOLDERS = [...AGENT_FOLDERS, RUN_FOLDERS.binaries] as const;
