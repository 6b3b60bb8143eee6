import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

const STAY = ['--stay', 'keep running when idle (default: stop after 15 idle minutes)'] as const;
const SECTION = 'engine';

/** Adds the `engine` command: the background processes of a results folder. */
export function addEngine(program: Program, { exitWith }: CommandLine): void {
  const engine = program
    .command('engine')
    .description('Control the local engine: Temporal server, worker and the keeper that restarts them');
  addHelp(
    engine,
    SECTION,
    ['Show what is running', 'llm-tool-test engine status'],
    ['Stop the background processes', 'llm-tool-test engine stop'],
  );

  const start = engine
    .command('start')
    .description('Start the local Temporal server and worker in the background')
    .option(...STAY, false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine/engine.js')).engineStart(options)));
  addHelp(start, SECTION, ['Start the engine and keep it running', 'llm-tool-test engine start --stay']);

  const stop = engine
    .command('stop')
    .description('Stop the server and the worker; open sweeps continue when they are started again')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine/engine.js')).engineStop(options)));
  addHelp(stop, SECTION, ['Stop the engine', 'llm-tool-test engine stop']);

  const status = engine
    .command('status')
    .description('Show which processes of the engine are running')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./engine/engine.js')).engineShowStatus(options)));
  addHelp(status, SECTION, ['Show the status as JSON', 'llm-tool-test engine status --json']);

  const keep = engine
    .command('keep')
    .description('Keep the engine running from the foreground, for containers and service managers')
    .option(...STAY, false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .action(async (options) => exitWith((await import('./engine/keep.js')).engineKeep(options)));
  addHelp(keep, SECTION, ['Run the engine in a container', 'llm-tool-test engine keep --stay']);
}
