import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { ADDRESS, JSON_FLAG, RESULTS } from './common-options.js';

const STAY = ['--stay', 'do not end when idle'] as const;

/** The verbs of `engine`: the background processes of a results folder. */
export function addEngineVerbs(
  program: CommandUnknownOpts,
  exitWith: (code: Promise<number> | number) => Promise<void>,
): void {
  const engine = program
    .command('engine')
    .description('the local engine: Temporal server, worker, and their keeper');

  engine
    .command('start')
    .description('start it')
    .option(...STAY, false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine.js')).engineStart(options)));

  engine
    .command('stop')
    .description('stop it; open sweeps go on when it is started again')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine.js')).engineStop(options)));

  engine
    .command('status')
    .description('show what is running')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine.js')).engineShowStatus(options)));

  engine
    .command('keep')
    .description('keep it up in the foreground, for containers and service managers')
    .option(...STAY, false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .action(async (options) => exitWith((await import('./engine.js')).engineKeep(options)));
}
