import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `workers` command. */
export function addWorkers(program: Program, { exitWith }: CommandLine): void {
  const workers = program.command('workers').description('Show and drain the hosts of shared results');
  addHelp(
    workers,
    'workers',
    ['Show the hosts', 'llm-tool-test workers list --results /mnt/results'],
    [
      'Let a host finish its runs before an update',
      'llm-tool-test workers drain build-7 --results /mnt/results',
    ],
  );

  const list = workers
    .command('list', { isDefault: true })
    .description('Show the hosts: versions, slots, runs, and the cells that they decline (default)')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./workers/workers.js')).showWorkers(options)));
  addHelp(list, 'workers', [
    'Show the hosts as JSON',
    'llm-tool-test workers list --json --results /mnt/results',
  ]);

  const drain = workers
    .command('drain')
    .description('Let a host finish its runs and take no new ones')
    .argument('<host>', 'name or id of the host')
    .option('--undo', 'let it take runs again', false)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (host, options) =>
      exitWith((await import('./workers/workers.js')).drainWorker(host, options)),
    );
  addHelp(drain, 'workers', ['Drain a host', 'llm-tool-test workers drain build-7 --results /mnt/results']);
}
