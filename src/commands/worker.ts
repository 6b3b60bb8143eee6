import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `worker` command. */
export function addWorker(program: Program, { runWorker }: CommandLine): void {
  const command = program
    .command('worker')
    .description('Run a standalone worker for your own Temporal server')
    .option(...RESULTS)
    .option(...ADDRESS)
    .option('--namespace <name>', "Temporal namespace (default: from Temporal's own configuration)")
    .option('--queue <name>', 'task queue (default: that of the results folder)')
    .addOption(
      new Option(
        '--metrics <host:port>',
        'serve Prometheus metrics at this address, for example 127.0.0.1:9464',
      ).env('LLM_TOOL_TEST_METRICS'),
    )
    .action(runWorker);
  addHelp(command, 'engine-worker', [
    'Run a worker for a server on another host',
    'llm-tool-test worker --address temporal.example.com:7233 --namespace default',
  ]);
}
