import { Option } from '@commander-js/extra-typings';

// Arguments and options of several verbs.
export const SWEEP = ['<sweep>', 'sweep id, a unique prefix of one, or `latest`'] as const;
export const ID = ['id', 'sweep or run id, a unique prefix of one, or `latest` (the newest sweep)'] as const;
export const RESULTS = [
  '--results <folder>',
  'results folder (default: results_path from the config file)',
] as const;
export const ADDRESS = [
  '--address <host:port>',
  'use this Temporal server instead of starting a local one',
] as const;
export const ENV_FILE = [
  '--env-file <file>',
  'read more environment variables (for ${NAME} and API keys) from a file',
] as const;
export const LIVE = [
  '--live',
  'ignore all mocks: commands, HTTP endpoints and services do their real work',
] as const;
export const JSON_FLAG = ['--json', 'print exactly one JSON document on stdout'] as const;
export const judgeModel = () =>
  new Option(
    '--judge-model <name>',
    'judge model, as provider/model or agent:<agent>/<model> (default: from the scenario or config file)',
  ).env('LLM_TOOL_TEST_JUDGE');
export const NO_JUDGE = ['--no-judge', 'do not judge runs'] as const;
