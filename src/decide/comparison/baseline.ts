import { z } from 'zod';
import { sha256 } from '#lib';
import { configurationLabel, workRunOf } from '#model';
import { Configuration, type Comparison } from './document.js';
import { untested } from './findings.js';
import { armsOf, configurationKey, sideOf, type Arm, type Sample, type SweepResults } from './arms.js';

/** A line of a baseline file: what a sweep has shown of one configuration. */
export const BaselineLine = z.strictObject({
  schema_version: z.literal(1).describe('Version of the format'),
  ...Configuration.shape,
  passed: z.int().min(0).describe('Runs that passed'),
  tested: z.int().min(1).describe('Runs that passed or failed'),
  untested: z.int().min(0).describe('Cells that ended with an error or were cancelled'),
  after_errors: z
    .strictObject({
      passed: z.int().min(0).describe('Those that passed'),
      tested: z.int().min(1).describe('All of them'),
    })
    .exactOptional()
    .describe('Tested runs of cells that had ended without a result before; absent: none'),
  inputs: z.string().nullable().describe('Beginning of the cache key of the first repetition; null: not computed'),
  runs: z.array(z.string()).describe('Hashes of the ids of the runs: a run counts on one side only'),
  sweep: z.string().describe('The sweep'),
  date: z.iso.datetime().describe('When it was started; ISO 8601 in UTC'),
});
export type BaselineLine = z.infer<typeof BaselineLine>;

/** A baseline, and the file that it was read from. */
export interface StoredBaseline {
  file: string;
  lines: readonly BaselineLine[];
}

/** Returns what a sweep has shown of each of its configurations, except those without a run that passed or failed. */
export function baselineOf(sweep: SweepResults): BaselineLine[] {
  const arms = armsOf(sweep, () => false, { alpha: 0.05 });
  return [...arms.values()].flatMap(({ configuration, samples, inputs, side }): BaselineLine[] =>
    side.tested === 0
      ? []
      : [
          {
            schema_version: 1,
            ...configuration,
            passed: side.passed,
            tested: side.tested,
            untested: untested(side),
            ...(side.after_errors === 0
              ? {}
              : { after_errors: { passed: side.passed_after_errors, tested: side.after_errors } }),
            inputs: inputs.get(1) ?? null,
            runs: samples.map(hashOfRun).sort(),
            sweep: sweep.sweep,
            date: sweep.started,
          },
        ],
  );
}

/** Replaces the lines of configurations that are written again. Those that are not keep theirs. */
export function updateBaseline(known: readonly BaselineLine[], written: readonly BaselineLine[]): BaselineLine[] {
  const lines = new Map([...known, ...written].map((line) => [configurationKey(line), line]));
  return [...lines.values()];
}

/**
 * Formats a baseline: a line per configuration, sorted, so that changes to different configurations change different
 * lines.
 */
export const formatBaseline = (lines: readonly BaselineLine[]): string =>
  lines
    .map((line) => ({ key: configurationKey(line), text: `${JSON.stringify(line)}\n` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ text }) => text)
    .join('');

/** Reads a baseline. Returns a sentence about the first line that is wrong. */
export function parseBaseline(text: string): BaselineLine[] | string {
  const found = new Map<string, { line: BaselineLine; at: number }>();
  for (const [index, content] of text.split('\n').entries()) {
    const at = index + 1;
    if (content.trim() === '') continue;
    if (/^(<{7}|={7}|>{7}|\|{7})/.test(content)) return `line ${at}: a merge conflict; keep one line per configuration`;
    const line = parseLine(content);
    if (typeof line === 'string') return `line ${at}: ${line}`;
    const known = found.get(configurationKey(line));
    if (known !== undefined)
      return `line ${at}: ${configurationLabel(line)} is also on line ${known.at}; keep one of them`;
    found.set(configurationKey(line), { line, at });
  }
  return [...found.values()].map(({ line }) => line);
}

function parseLine(text: string): BaselineLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  const { data, error } = BaselineLine.safeParse(value);
  if (data === undefined) {
    const [issue] = error.issues;
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.replace(/^: /, '');
  }
  if (data.passed > data.tested) return `passed: ${data.passed} is more than tested`;
  const { passed, tested } = data.after_errors ?? NONE;
  return passed > Math.min(tested, data.passed) || tested - passed > data.tested - data.passed
    ? `after_errors: ${passed} of ${tested} cannot be among ${data.passed} of ${data.tested}`
    : data;
}

const NONE = { passed: 0, tested: 0 };

export const armsOfBaseline = (lines: readonly BaselineLine[], options: { alpha: number }): Map<string, Arm> =>
  new Map(lines.map((line) => [configurationKey(line), armOf(line, options)]));

function armOf(line: BaselineLine, options: { alpha: number }): Arm {
  const { scenario, agent, model, variant, inputs } = line;
  const none = { flaky: 0, reused: 0, shared: 0, retried: 0, cancelled: 0, waiting: 0 };
  const { passed, tested } = line.after_errors ?? NONE;
  const errors = { errored: line.untested, after_errors: tested, passed_after_errors: passed };
  return {
    configuration: { scenario, agent, model, variant },
    samples: [],
    runs: [],
    inputs: new Map(inputs === null ? [] : [[1, inputs]]),
    others: [],
    side: sideOf(line, { ...none, ...errors, flaky: 0 < line.passed && line.passed < line.tested ? 1 : 0 }, options),
  };
}

/** Returns whether a baseline has the run of a line. The run does not count again then. */
export function isInBaseline({ lines }: StoredBaseline): (line: Sample) => boolean {
  const runs = new Set(lines.flatMap((line) => line.runs));
  return (line) => runs.has(hashOfRun(line));
}

/** 40 bits tell the runs of a project apart. */
const hashOfRun = (line: Sample): string => sha256(workRunOf(line)).slice(0, 10);

export function nameOfBaseline({ file, lines }: StoredBaseline): Comparison['base'] {
  const [newest] = [...lines].sort((a, b) => (a.date < b.date ? 1 : -1));
  return {
    sweep: newest?.sweep ?? '',
    variant: null,
    started: newest?.date ?? '',
    status: 'completed',
    baseline: file,
  };
}
