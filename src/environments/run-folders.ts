/** Private folders below the root of a run, beside its workspace: they come with that and go with it. */
export const RUN_FOLDERS = {
  home: 'home',
  config: 'config',
  temporary: 'tmp',
  /** HOME and temporary folder of whatever checks the agent's work: the agent in a sandbox does not see it. */
  checks: 'checks',
  /** Programs that come first on PATH. */
  binaries: 'bin',
} as const;

/** Those of `checks`: HOME and temporary folder. */
export const CHECKS_FOLDERS = [`${RUN_FOLDERS.checks}/home`, `${RUN_FOLDERS.checks}/tmp`] as const;

/** Those that the agent may write to. */
export const AGENT_FOLDERS = [RUN_FOLDERS.home, RUN_FOLDERS.config, RUN_FOLDERS.temporary] as const;

/** Those that are there before the agent. */
export const FIRST_FOLDERS = [...AGENT_FOLDERS, RUN_FOLDERS.binaries] as const;
