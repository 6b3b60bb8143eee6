import type { Problem } from './problem.js';

/**
 * The possible problems with the input: the values of `error.code` of --json. specs/reference/commands.md lists them.
 */
export const USAGE_CODES = [
  'usage',
  'config_invalid',
  'scenario_not_found',
  'scenario_invalid',
  'nothing_selected',
  'no_agent',
  'unknown_agent',
  'agent_model',
  'agent_subject',
  'unknown_provider',
  'judge_model',
  'not_enabled',
  'unset_variable',
  'budget_spent',
  'sandbox_required',
  'sandbox_unusable',
  'unknown_profile',
  'unknown_variant',
  'unknown_cell',
  'name_too_long',
  'target_missing',
  'no_help',
  'env_file',
  'temporal_config',
  'metrics_address',
  'codec_keys',
  'detach_in_ci',
  'results_unwritable',
  'results_broken',
  'not_shared',
  'shared_results',
  'no_server',
  'unknown_id',
  'sweep_open',
  'bad_baseline',
  'bad_schedule',
  'bad_reference',
  'unknown_schedule',
  'schedule_exists',
  'schedule_running',
  'work_changed',
  'files_in_the_way',
  'files_unwritable',
  'older_than',
  'not_a_folder',
  'symlink',
  'no_scripts',
  'unknown_script',
  'no_readme',
  'no_usage',
  'bad_name',
  'bad_command',
] as const;
type UsageCode = (typeof USAGE_CODES)[number];

/** The input is wrong: exit code 2, and nothing has run. Printed without a stack. */
export class UsageError extends Error {
  constructor(
    readonly code: UsageCode,
    message: string,
    readonly problems: Problem[] = [],
    /** Texts of the files that have problems, for code frames. */
    readonly texts: ReadonlyMap<string, string> = new Map(),
  ) {
    super(message);
  }
}

/** The engine, the disk or the network failed: exit code 3. */
export class InfrastructureError extends Error {}

/** The shared place cannot be reached for now: it is not mounted, or its server does not answer. */
export class StoreAway extends Error {}

/** True if an error is one of a shared place that cannot be used until a person, or the network, has repaired it. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreAway || (error instanceof UsageError && error.code === 'results_unwritable');
