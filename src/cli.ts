#!/usr/bin/env -S node --
import { Argument, Command, Option } from '@commander-js/extra-typings';
import { ADDRESS, ENV_FILE, JSON_FLAG, RESULTS, SWEEP } from './commands/common-options.js';
import { addEngineVerbs } from './commands/engine-verbs.js';
import { keepsLog, reportFailure } from './commands/failure.js';
import { atOnce, count, each, list, positive, seconds, tier } from './commands/option-values.js';
import { addScriptsVerbs } from './commands/scripts/verbs.js';
import { UsageError } from './commands/usage-error.js';
import { packageVersion } from './platform/package-info.js';
import { formatNames } from './reports/formats/index.js';

// An empty variable is none.
if (process.env['LLM_TOOL_TEST_BUDGET_USD'] === '') delete process.env['LLM_TOOL_TEST_BUDGET_USD'];
if (process.env['LLM_TOOL_TEST_JUDGE'] === '') delete process.env['LLM_TOOL_TEST_JUDGE'];

// Only what a verb needs is imported, by its action: `--help` must not wait for Temporal's client.
let exitCode = 0;
const exitWith = async (code: Promise<number> | number): Promise<void> => {
  exitCode = await code;
};

const program = new Command('llm-tool-test')
  .description('Can LLM agents really do the job with your command-line tool?')
  .version(packageVersion)
  .showHelpAfterError()
  .configureHelp({
    showGlobalOptions: false,
    // Without the defaults, which are `false` and `[]`: nothing was said.
    optionDescription: ({ description, envVar }) =>
      envVar === undefined ? description : `${description} (env: ${envVar})`,
  })
  .enablePositionalOptions()
  .exitOverride();

program
  .command('run')
  .description('plan the matrix, start it, follow it')
  .argument('[files...]', 'scenario files, folders, or names in the fixtures folder')
  .option('-s, --scenario <file>', 'the same as naming it as an argument (repeatable)', each, [])
  .option('--all', 'all scenarios of the fixtures folder')
  .option('--tags <tags>', 'only scenarios with any of these tags (repeatable, comma lists)', list, [])
  .option('--tier <n>', 'only scenarios of this tier and below', tier)
  .option('--agents <names>', 'agents, in place of tool_matrix (repeatable, comma lists)', list, [])
  .option('--tool, --tools <names>', 'the same as --agents', list, [])
  .option('--model, --models <names>', 'models, in place of those of tool_matrix', list, [])
  .option('--variants <names>', 'only these variants of scenarios (repeatable, comma lists)', list, [])
  .option('--profile <name>', 'agents and models of a profile of the config')
  .option('--repeat <n>', 'repetitions of each cell', count)
  .option('--concurrency <n>', 'cells at once', atOnce)
  .addOption(
    new Option('--max-usd <n>', 'budget: no cell is started that would pass it')
      .argParser(positive)
      .env('LLM_TOOL_TEST_BUDGET_USD'),
  )
  .option('--timeout-secs <n>', 'time for the agent', seconds)
  .option('--target-binary <path>', "another build in the target's place")
  .option('--no-cache', 'run everything anew, also what has a result of exactly the same inputs')
  .addOption(
    new Option(
      '--judge-model <name>',
      'who judges: provider/model or agent:<agent>/<model>, in place of scenario and config',
    ).env('LLM_TOOL_TEST_JUDGE'),
  )
  .option('--no-judge', 'leave out the judge')
  .option('--name <name>', 'a name for the sweep, to begin its id')
  .option(...ENV_FILE)
  .option('--detach', 'start and return; the sweep goes on', false)
  .option('--dry-run', 'show the plan and leave nothing behind', false)
  .option('--pass-with-no-scenarios', 'nothing selected is a success', false)
  .option(...RESULTS)
  .option(...ADDRESS)
  .option(...JSON_FLAG, false)
  .action(async (named, { tools, scenario, ...options }) => {
    const files = [...named, ...scenario];
    if (
      files.length === 0 &&
      options.all !== true &&
      options.tags.length === 0 &&
      options.tier === undefined
    ) {
      throw new UsageError('nothing_selected', 'name scenario files, or use --all, --tags or --tier');
    }
    const { run } = await import('./commands/run.js');
    await exitWith(run({ ...options, files, agents: [...options.agents, ...tools] }));
  });

program
  .command('validate')
  .description('check scenario files; all problems at once, each with its place')
  .argument('[files...]', 'default: all of the fixtures folder')
  .option(...JSON_FLAG, false)
  .action(async (files, options) =>
    exitWith((await import('./commands/validate.js')).validate(files, options)),
  );

program
  .command('scenarios')
  .description('list the scenarios of the fixtures folder')
  .option('--tags <tags>', 'only those with any of these tags', list, [])
  .option('--tier <n>', 'only those of this tier and below', tier)
  .option(...JSON_FLAG, false)
  .action(async ({ json, ...selection }) =>
    exitWith((await import('./commands/scenarios.js')).listScenarios(selection, { json })),
  );

program
  .command('show')
  .description('show one sweep or run')
  .argument('<id>', 'id of a sweep or a run, or a unique beginning of it; `latest` is the newest sweep')
  .option(...RESULTS)
  .option(...JSON_FLAG, false)
  .action(async (id, options) => exitWith((await import('./commands/show.js')).show(id, options)));

program
  .command('report')
  .description('write a report of a sweep and all its runs')
  .argument(...SWEEP)
  .addOption(
    new Option('--format <format>', 'md (default), html, json, junit or github').choices(formatNames),
  )
  .option('--output <file>', 'write it there; that of github is added to what is there')
  .option(...RESULTS)
  .addOption(new Option('--json', 'the same as --format json').conflicts(['format', 'output']))
  .action(async (id, { json, format = json === true ? 'json' : 'md', ...options }) =>
    exitWith((await import('./commands/report.js')).report(id, { ...options, format })),
  );

program
  .command('compare')
  .description('compare two sweeps, or two variants: better, worse, or nothing shown')
  .argument('<base>', 'id of the sweep before, or a unique beginning of it')
  .argument('[head]', 'the one after; where nothing is said `latest`, the newest')
  .option('--variants <base,head>', 'compare two variants, of one sweep where no head is named', list, [])
  .option(
    '--fail-on-worse',
    'exit 1 where head is worse, 3 where it was not tested, 4 where the runs are too few',
    false,
  )
  .option(...RESULTS)
  .option(...JSON_FLAG, false)
  .action(async (base, head, options) =>
    exitWith((await import('./commands/compare.js')).compare(base, head, options)),
  );

program
  .command('sweeps')
  .description('list the sweeps, newest first')
  .option(
    '--limit <n>',
    'no more than so many (default: 20 on a terminal or as text, all with --json)',
    count,
  )
  .option(...RESULTS)
  .option(...JSON_FLAG, false)
  .action(async (options) => exitWith((await import('./commands/sweeps.js')).listSweeps(options)));

program
  .command('clean')
  .description('remove old runs, sweeps without runs, and snapshots that nothing needs')
  .option('--older-than <age>', 'how old: 90m, 12h, 30d, 2w; 0d is all that has ended')
  .option('--dry-run', 'show what would go, and change nothing', false)
  .option('--verbose', 'name everything', false)
  .option(...RESULTS)
  .option(...JSON_FLAG, false)
  .action(async (options) => exitWith((await import('./commands/clean/clean.js')).clean(options)));

program
  .command('resume')
  .description('go on with a sweep and follow it')
  .argument(...SWEEP)
  .option(...ENV_FILE)
  .option(...RESULTS)
  .option(...ADDRESS)
  .option(...JSON_FLAG, false)
  .action(async (id, options) => exitWith((await import('./commands/resume.js')).resume(id, options)));

program
  .command('retry')
  .description('run the cells of a sweep again that could not be tested')
  .argument(...SWEEP)
  .option(...ENV_FILE)
  .option('--failed', 'also those that failed', false)
  .option('--now', 'of a sweep that runs: wait no longer for limits of providers', false)
  .option(...RESULTS)
  .option(...ADDRESS)
  .option(...JSON_FLAG, false)
  .action(async (id, options) => exitWith((await import('./commands/retry.js')).retry(id, options)));

for (const [verb, description] of [
  ['pause', 'start no new cell of a sweep; running agents finish'],
  ['cancel', 'end a sweep and kill its agents'],
] as const) {
  program
    .command(verb)
    .description(description)
    .argument(...SWEEP)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./commands/steer.js')).steer(verb, id, options)));
}

program
  .command('ui')
  .description('print the address of the Web UI, or of the page of a sweep or run')
  .argument('[id]', 'id of a sweep or a run, or a unique beginning of it; `latest` is the newest sweep')
  .option(...RESULTS)
  .option(...ADDRESS)
  .option(...JSON_FLAG, false)
  .action(async (id, options) => exitWith((await import('./commands/ui.js')).ui(id, options)));

program
  .command('worker')
  .description('run a worker here, for a Temporal server of yours')
  .option(...RESULTS)
  .option(...ADDRESS)
  .option('--namespace <name>', "namespace (default: what Temporal's configuration says)")
  .option('--queue <name>', 'task queue (default: that of the results folder)')
  .action(async ({ results, ...options }) => {
    const { openProject } = await import('./commands/project.js');
    const { runWorker } = await import('./worker.js');
    await runWorker({ ...options, external: true, resultsPath: openProject(results).resultsPath });
  });

program
  .command('init')
  .description('scaffold a config, a scenario and its fixture that run at once')
  .argument('[dir]', 'folder, made where it is missing (default: the working folder)')
  .option(...JSON_FLAG, false)
  .action(async (dir, options) => exitWith((await import('./commands/init.js')).init(dir ?? '.', options)));

program
  .command('schema')
  .description('print the JSON Schema of scenario files, for editors')
  .addOption(new Option('--config', 'that of llm-tool-test-config.toml').conflicts('rubric'))
  .addOption(new Option('--rubric', 'that of rubric files').conflicts('config'))
  .option('--json', 'changes nothing: it is JSON', false)
  .action(async ({ config, rubric }) => {
    const { schema } = await import('./commands/schema.js');
    await exitWith(schema(config === true ? 'config' : rubric === true ? 'rubric' : 'scenario'));
  });

program
  .command('doctor')
  .description('check what is needed here to run scenarios; exit 3 when something is in the way')
  .option('--try <agent>', 'only this: start the agent with a trivial prompt, and say how it went')
  .option('--model <name>', 'the model to try it with')
  .option(...RESULTS)
  .option(...ADDRESS)
  .option(...JSON_FLAG, false)
  .action(async (options) => exitWith((await import('./commands/doctor.js')).doctor(options)));

program
  .command('completion')
  .description('print a completion script')
  .addArgument(new Argument('<shell>', 'where it is used').choices(['bash', 'zsh', 'fish'] as const))
  .option(...JSON_FLAG, false)
  .addHelpText('after', '\nThe script says how to install it.')
  .action(async (shell, options) =>
    exitWith((await import('./commands/completion.js')).completion(shell, options)),
  );

addEngineVerbs(program, exitWith);
addScriptsVerbs(program, exitWith);

const json = process.argv.includes('--json');
const fail = (error: unknown): number => reportFailure(error, { json, log: keepsLog(process.argv.slice(2)) });
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error) => process.exit(fail(error)));

/** Runs the command that the arguments name. */
async function main(): Promise<void> {
  try {
    // Asked by the completion scripts, about a line that is not complete: nothing that Commander could parse.
    if (process.argv[2] === 'complete-words') {
      const { completeWords } = await import('./commands/completion.js');
      await exitWith(completeWords(program, process.argv.slice(3)));
      return;
    }
    await program.parseAsync();
  } catch (error) {
    exitCode = fail(error);
  }
}

await main();
// A question to the server that still waits for its answer (a paused sweep's result) must not keep the command alive.
process.stdout.write('', () => process.exit(exitCode));
