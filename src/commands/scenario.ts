import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, ENV_FILE, JSON_FLAG, LIVE, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { atMostConcurrency, list } from './shared/option-values.js';

const SECTION = 'scenario';

/** Adds the `scenario` command, with the verbs and flags of the ElizaOS scenario runner. */
export function addScenario(program: Program, { exitWith }: CommandLine): void {
  const scenario = program
    .command('scenario')
    .description('Run scenario and matrix files in the form of ElizaOS');
  addHelp(
    scenario,
    SECTION,
    ['Run a file and print the verdict of each evaluation', 'llm-tool-test scenario run hello.scenario.yaml'],
    ['Run all combinations of a matrix', 'llm-tool-test scenario matrix hello.matrix.yaml'],
  );

  const run = scenario
    .command('run')
    .description('Run one scenario file and print the verdict of each evaluation')
    .argument('<file>', 'scenario file')
    .option('--agents <names>', 'run these agents instead of the one in the file', list, [])
    .option('--models <names>', 'run these models', list, [])
    .option('-l, --live', LIVE[1], false)
    .option('--no-cache', 'ignore cached results')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (file, options) =>
      exitWith((await import('./scenario/scenario.js')).runScenarioFile(file, options)),
    );
  addHelp(run, SECTION, [
    'Run a file with keys from .env',
    'llm-tool-test scenario run hello.scenario.yaml --env-file .env',
  ]);

  const matrix = scenario
    .command('matrix')
    .description('Run all combinations of a matrix file, each as a variant of its scenario')
    .argument('<file>', 'matrix file')
    .option('--agents <names>', 'run these agents instead of the one in the file', list, [])
    .option('--models <names>', 'run these models', list, [])
    .option('--parallel <n>', 'maximum number of runs at once (default: as for `run`)', atMostConcurrency)
    .option('--filter <text>', 'only combinations whose values, as JSON, contain this text')
    .option('--dry-run', 'list the combinations without running anything', false)
    .option('-l, --live', LIVE[1], false)
    .option('--no-cache', 'ignore cached results')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (file, options) =>
      exitWith((await import('./scenario/scenario.js')).runMatrixFile(file, options)),
    );
  addHelp(matrix, SECTION, [
    'List the combinations',
    'llm-tool-test scenario matrix hello.matrix.yaml --dry-run',
  ]);
}
