import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createActivities } from '../../src/activities/create-activities.js';
import { sweepEnvFrom, writeSweepEnv } from '../../src/host/security/sweep-env.js';
import { sha256 } from '../../src/lib/hash.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { EffectiveScenario, JudgeSettings, Plan } from '../../src/scenario/plan.js';
import { fixtureFolder, planFile, scenarioFile, stateOfRun } from '../../src/store/results-folder.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import { isOwnServer } from './in-activity.js';
import { provenRun } from './proofs.js';

/** Suppresses log lines about attempts that fail on purpose. */
const logger = new DefaultLogger('ERROR');
const cell = { id: 'c', scenario: 'judged', agent: 'mock', model: 'm', variant: 'v', repetition: 1 };
let runs = 0;

/** A run that has reached its judge, and attempts of this step. */
export interface JudgedRun {
  folder: string;
  /** The folder of the run in the state folder. */
  root: string;
  artifact(name: string): string;
  /** An attempt that can be cancelled from outside. */
  begin(number: number, info?: Partial<Info>): { environment: MockActivityEnvironment; result: Promise<unknown> };
  attempt(number: number, info?: Partial<Info>): Promise<unknown>;
  /** The failure of an attempt, as Temporal sees it. */
  failureOf(number: number, info?: Partial<Info>): Promise<unknown>;
}

/** Writes the files that a worker finds for a run to be judged; `values` are variables of its sweep. */
export async function createJudgedRun(
  judge: Partial<JudgeSettings>,
  plan: Partial<Plan>,
  values: Record<string, string>,
): Promise<JudgedRun> {
  const folder = await newFolder();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  const activities = createActivities({ resultsPath, stateFolder, isOwnServer });
  const loaded = loadScenario('judged.yaml', scenario('judged'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const effective: EffectiveScenario = {
    scenario: loaded.value.scenario,
    schema_version: 2,
    target: { binary: 'cat', env: {} },
    target_path: null,
    fixture: 'f',
    judge: {
      model: 'house/m',
      rubric: {
        criteria: [{ id: 'a', weight: 1, description: 'x' }],
        output: { format: 'json', require_fields: [] },
      },
      rubric_file: 'rubric.yaml',
      pass_threshold: 0.4,
      always: false,
      timeout_secs: 10,
      votes: 1,
      ...judge,
    },
  };
  const content = JSON.stringify(effective);
  const hash = sha256(content);
  const whole: Plan = {
    schema_version: 1,
    sweep: 's',
    created_at: '',
    concurrency: 1,
    cache: true,
    max_usd: null,
    agents: {},
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    caps: { agents: {}, models: {} },
    prices: {},
    providers: {},
    cells: [cell],
    scenarios: [{ name: 'judged', variant: cell.variant, file: 'judged.yaml', path: '/judged.yaml', hash }],
    ...plan,
  };
  await mkdir(fixtureFolder(resultsPath, 'f'), { recursive: true });
  for (const [file, value] of [
    [planFile(resultsPath, 's'), JSON.stringify(whole)],
    [scenarioFile(resultsPath, hash), content],
  ] as const) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, value);
  }
  const run = await provenRun(
    { resultsPath, stateFolder },
    {
      sweep: 's',
      cell,
      run: `run-judged-${process.pid}-${++runs}`,
      workflowId: 'test',
      firstRunId: 'r',
    },
  );
  await writeSweepEnv(stateFolder, 's', sweepEnvFrom(values, Object.keys(values)));
  const begin: JudgedRun['begin'] = (number, info = {}) => {
    const environment = new MockActivityEnvironment({ attempt: number, ...info }, { logger });
    return { environment, result: environment.run(() => activities.judgeRun(run)) };
  };
  const attempt: JudgedRun['attempt'] = (number, info) => begin(number, info).result;
  return {
    folder,
    root: stateOfRun(stateFolder, run.run),
    artifact: (name) => join(resultsPath, run.run, 'artifacts', 'judge', name),
    begin,
    attempt,
    failureOf: (number, info) =>
      attempt(number, info).then(
        () => 'it did not fail',
        (error: unknown) => error,
      ),
  };
}
