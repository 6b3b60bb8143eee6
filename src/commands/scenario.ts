import { openProject, plan, selectMatrix } from '#planning';
import { run, runDraft, runPlanned } from './run/run.js';
import { finishedSweep } from './run/until-clear.js';
import { printJson } from './shared/output.js';

interface ScenarioOptions {
  agents: string[];
  models: string[];
  cache: boolean;
  live: boolean;
  envFile?: string;
  results?: string;
  address?: string;
  json: boolean;
}

interface MatrixOptions extends ScenarioOptions {
  parallel?: number;
  filter?: string;
  dryRun: boolean;
}

/** `scenario run`: runs a scenario file and prints the verdict of each evaluation. Returns the exit code. */
export const runScenarioFile = (file: string, options: ScenarioOptions): Promise<number> =>
  run({
    ...options,
    files: [file],
    passWithNoScenarios: false,
    detach: false,
    listGates: true,
  });

/** `scenario matrix`: runs all combinations of a matrix file as one sweep. Returns the exit code. */
export async function runMatrixFile(file: string, { parallel, filter, ...options }: MatrixOptions): Promise<number> {
  const project = openProject(options.results);
  const { name, combinations, scenarios } = await selectMatrix(project, file, filter);
  if (options.dryRun) {
    const listed = combinations.map(({ id, values }) => ({ id, parameters: values }));
    if (options.json) printJson({ dry_run: true, combinations: listed });
    else for (const { id, parameters } of listed) process.stdout.write(`${id}  ${JSON.stringify(parameters)}\n`);
    return 0;
  }
  const draft = runDraft({ ...options, name, concurrency: parallel });
  return runPlanned(await plan(project, scenarios, draft, finishedSweep), { ...options, detach: false });
}
