import { InvalidArgumentError } from '@commander-js/extra-typings';
import { loadEnvFile } from '#host';
import { LONGEST_TIMER_SECS, MAX_CELLS, MAX_CONCURRENCY, parseAge, UsageError } from '#lib';

/** For a repeatable flag whose values may be comma-separated lists. */
export const parseList = (value: string, before: string[]): string[] => [
  ...before,
  ...value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
];

/** For a repeatable flag whose values are not split. */
export const each = (value: string, before: string[]): string[] => [...before, value];

/** The origin of an address, in the form in which browsers send it. */
export const httpOrigin = (value: string): string => {
  const { origin } = URL.canParse(value) ? new URL(value) : { origin: '' };
  if (!/^https?:/.test(origin))
    throw new InvalidArgumentError('expected an address such as https://results.example.com');
  return origin;
};

/** A number above 0, fractions allowed. */
export const positive = (value: string): number => {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('expected a number above 0');
  return number;
};

/** A time: `2026-11-24`, or `2026-11-24T03:00Z`. Without a zone, it is in UTC. */
export const parseTime = (value: string): Date => {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(value);
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(value) || hasZone ? value : `${value}Z`);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected a time like 2026-11-24 or 2026-11-24T03:00Z');
  return time;
};

/** A number of percentage points, as a share: 10 is 0.1. */
export const percentagePoints = (value: string): number => {
  const number = Number(value);
  if (!(number > 0 && number < 100))
    throw new InvalidArgumentError('expected a number of points above 0 and below 100, e.g. 10');
  return number / 100;
};

/** A percentage between 0 and 100, as a share: 80 is 0.8. */
export const parseShare = (value: string): number => {
  const number = Number(value);
  if (!(number > 0 && number < 100))
    throw new InvalidArgumentError('expected a percentage above 0 and below 100, e.g. 80');
  return number / 100;
};

/** A level of significance. */
export const level = (value: string): number => {
  const number = Number(value);
  if (!(number > 0 && number < 0.5)) throw new InvalidArgumentError('expected a number above 0 and below 0.5');
  return number;
};

/** A number of seconds that a timer supports. */
export const parseSeconds = (value: string): number => {
  const number = positive(value);
  if (number <= LONGEST_TIMER_SECS) return number;
  throw new InvalidArgumentError(`expected at most ${LONGEST_TIMER_SECS} seconds`);
};

/** A whole number from 1. */
export const parseCount = (value: string): number => {
  if (/^[1-9]\d{0,6}$/.test(value) && Number(value) <= MAX_CELLS) return Number(value);
  throw new InvalidArgumentError(`expected a whole number from 1 to ${MAX_CELLS}`);
};

/** A part of a selection: `2/5`. */
export const parseShard = (value: string): { number: number; of: number } => {
  const [number, of, ...more] = value.split('/').map((part) => (/^[1-9]\d{0,6}$/.test(part) ? Number(part) : NaN));
  if (number !== undefined && of !== undefined && more.length === 0 && number <= of) return { number, of };
  throw new InvalidArgumentError('expected the number of a shard and how many there are, e.g. 2/5');
};

/** A TCP port. */
export const port = (value: string): number => {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new InvalidArgumentError('expected a port: a whole number from 0 to 65535');
};

/** A number of cells that may run at once. */
export const atMostConcurrency = (value: string): number => {
  const number = parseCount(value);
  if (number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`expected at most ${MAX_CONCURRENCY}`);
};

/** A whole number from 0. */
export const tier = (value: string): number => {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number of at least 0');
};

/** A length of time like "30s" or "6h", in ms. */
export const length = (value: string): number => {
  const ms = /^\d{1,6}s$/.test(value) ? Number(value.slice(0, -1)) * 1000 : parseAge(value);
  if (ms === null || ms > LONGEST_MS)
    throw new InvalidArgumentError('expected a time of at most 52 weeks, e.g. 30s, 15m, 6h, 1d or 1w');
  return ms;
};
const LONGEST_MS = 52 * 7 * 86_400_000;

/** A length of time of at least a minute, in ms. */
export const minutes = (value: string): number => {
  const ms = length(value);
  if (ms < 60_000) throw new InvalidArgumentError('expected at least 1m');
  return ms;
};

/** Reads the variables of `--env-file`. Empty if it was not given. @throws UsageError if the file cannot be read */
export function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  const read = loadEnvFile(file);
  if (read.ok) return read.values;
  const place = read.line === null ? file : `${file}:${read.line}`;
  throw new UsageError('env_file', `--env-file ${place}: ${read.problem}`);
}
