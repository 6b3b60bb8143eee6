// Arguments and options of several verbs: as they are written, and what they mean.
export const SWEEP = [
  '<sweep>',
  'id of a sweep, or a unique beginning of it; `latest` is the newest',
] as const;
export const RESULTS = [
  '--results <folder>',
  'results folder (default: results_path of the config)',
] as const;
export const ADDRESS = [
  '--address <host:port>',
  'a Temporal server of yours instead of the local one',
] as const;
export const ENV_FILE = [
  '--env-file <file>',
  'variables for ${NAME} and keys, besides those of the shell',
] as const;
export const JSON_FLAG = ['--json', 'print exactly one JSON document on stdout'] as const;
