import { existsSync } from 'node:fs';
import { hashTree, linesOf, listTree } from '#host';
import { canonicalJson, counted } from '#lib';
import { type ResultLine, scenarioLabel, workRunOf } from '#model';
import { agentInputs, EffectiveScenario } from '#scenario';
import { parseResult, readResultsFile, resultsLog, scenarioFile } from '#store';
import type { Draft } from './draft.js';
import type { ResolvedScenario, ResolvedSweep } from './resolve-sweep.js';

/** Checks earlier work again if the draft says so, else says that it could be. The mock is as fast as checking. */
export async function withKeptWork(
  sweep: ResolvedSweep,
  { regrade, untilClear }: Draft,
): Promise<{ sweep: ResolvedSweep; note: string[] }> {
  const costly = sweep.cells.filter(({ agent }) => agent !== 'mock');
  if (regrade === null || untilClear !== null || (!regrade && costly.length === 0)) return { sweep, note: [] };
  const { runs, otherChecks } = await findKeptWork(sweep);
  if (regrade) return { sweep: { ...sweep, regrade: { runs, or_run: true } }, note: [] };
  const found = costly.filter(({ id }) => otherChecks.has(id));
  if (found.length === 0) return { sweep, note: [] };
  const names = [...new Set(found.map(scenarioLabel))].join(', ');
  const note = `only the checks of ${names} have changed: --regrade checks the work of ${counted(found.length, 'earlier run')} again instead of running agents`;
  return { sweep, note: [note] };
}

/** Earlier runs whose agents were given the same as the cells of a sweep would give them. */
interface KeptRuns {
  /** By cell. */
  runs: Record<string, string>;
  /** The cells whose runs had scenarios with other checks. */
  otherChecks: Set<string>;
}

/**
 * Finds, for each cell, its last run that passed or failed, if its scenario was the same except for its checks. Whether
 * the target and the agent are the same is not known before the run.
 */
async function findKeptWork({ project: { resultsPath }, cells, scenarios }: ResolvedSweep): Promise<KeptRuns> {
  const found: KeptRuns = { runs: {}, otherChecks: new Set() };
  const lines = lastDecided(resultsPath, new Set(cells.map(({ id }) => id)));
  const ofLabel = new Map(
    scenarios.map((one) => [
      scenarioLabel({ scenario: one.selected.scenario.name, variant: one.variant.variant }),
      one,
    ]),
  );
  const compared = new Map<string, Promise<'same' | 'other checks' | 'other'>>();
  for (const cell of cells) {
    const line = lines.get(cell.id);
    const now = ofLabel.get(scenarioLabel(cell));
    if (line === undefined || now === undefined) continue;
    const agent = cell.agent === 'mock' ? 'mock' : 'others';
    const key = `${scenarioLabel(cell)} ${agent} ${line.scenario_hash}`;
    const comparison = compared.get(key) ?? compare(resultsPath, line.scenario_hash, now, agent);
    compared.set(key, comparison);
    const result = await comparison;
    if (result === 'other') continue;
    found.runs[cell.id] = workRunOf(line);
    if (result === 'other checks') found.otherChecks.add(cell.id);
  }
  return found;
}

async function compare(
  resultsPath: string,
  hash: string,
  { effective, variant: { fixture, checks } }: ResolvedScenario,
  agent: string,
): Promise<'same' | 'other checks' | 'other'> {
  const file = scenarioFile(resultsPath, hash);
  if (!existsSync(file)) return 'other';
  const before = readIfPossible(file);
  if (before === null) return 'other';
  const now: EffectiveScenario = {
    ...effective,
    fixture: await folderHash(fixture),
    ...(checks === null ? {} : { checks: await folderHash(checks) }),
  };
  if (canonicalJson(agentInputs(before, agent)) !== canonicalJson(agentInputs(now, agent))) return 'other';
  return canonicalJson(before) === canonicalJson(now) ? 'same' : 'other checks';
}

/** A scenario that another build has stored may be unreadable, which is no reason to refuse a run. */
function readIfPossible(file: string): EffectiveScenario | null {
  try {
    return readResultsFile(file, EffectiveScenario);
  } catch {
    return null;
  }
}

/** The hash of a folder's snapshot; that of an empty folder if there is none. */
export const folderHash = async (folder: string | null): Promise<string> =>
  folder === null ? hashTree('', []) : hashTree(folder, await listTree(folder));

const CELL = /"cell":("(?:[^"\\]|\\.)*")/;
/** A regraded run may have checked old work. */
const REGRADED = '"regraded_from":';
const DECIDED = /"outcome":"(pass|fail)"/;

/**
 * The last result of each of these cells that passed or failed, in any sweep. Parses only these lines, because the log
 * may have many thousands.
 */
function lastDecided(resultsPath: string, cells: ReadonlySet<string>): Map<string, ResultLine> {
  const log = resultsLog(resultsPath);
  const texts = new Map<string, string>();
  if (existsSync(log))
    for (const { text } of linesOf(log, Infinity)) {
      const cell = CELL.exec(text)?.[1];
      if (cell === undefined || !DECIDED.test(text) || text.includes(REGRADED)) continue;
      if (cells.has(JSON.parse(cell) as string)) texts.set(cell, text);
    }
  return new Map(
    [...texts.values()].flatMap((text) => {
      const line = parseResult(text);
      return typeof line === 'string' || line.results_dir === null ? [] : [[line.cell, line]];
    }),
  );
}
