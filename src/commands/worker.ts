import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { atMostConcurrency, list } from './shared/option-values.js';

/** Adds the `worker` command. */
export function addWorker(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('worker')
    .description('Make this machine a host: run cells of sweeps whose results are shared')
    .requiredOption('--results <place>', 'where the results are shared: a folder, or s3://bucket/prefix')
    .option(...ADDRESS)
    .option('--namespace <name>', "Temporal namespace (default: from Temporal's own configuration)")
    .option('--slots <count>', 'number of runs at once (default: one per CPU)', atMostConcurrency)
    .option(
      '--agents <names>',
      'run only these agents (comma-separated, repeatable; default: all that are installed)',
      list,
      [],
    )
    .option('--label <names>', 'labels for `run --on` (comma-separated, repeatable)', list, [])
    .option('--name <name>', 'name of this host (default: name of the machine)')
    .option('--env-file <file>', 'read variables of agents and targets from a file, again for each step')
    .addOption(
      new Option(
        '--metrics <host:port>',
        'serve Prometheus metrics at this address, for example 127.0.0.1:9464',
      ).env('LLM_TOOL_TEST_METRICS'),
    )
    .action(async (options) => exitWith((await import('./worker/worker.js')).runHost(options)));
  addHelp(
    command,
    'worker',
    [
      'Run cells with results in a shared folder',
      'llm-tool-test worker --address temporal.example.com:7233 --results /mnt/results',
    ],
    [
      'Run 8 cells at once, with results in a bucket and keys from a file',
      'llm-tool-test worker --results s3://team/results --slots 8 --env-file keys.env',
    ],
  );
}
