import { Option } from '@commander-js/extra-typings';
import { atMostConcurrency, each, parseList, port } from '../shared/option-values.js';
import { addHelp, ADDRESS, type CommandLine, JSON_FLAG, type Program, RESULTS } from '../shared/verb.js';

const STAY = ['--stay', 'keep running when idle (default: stop after 15 idle minutes)'] as const;
const SECTION = 'engine';

const engineWork = () => import('../engine.js');

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
    .action(async (options) => exitWith((await engineWork()).engineStart(options)));
  addHelp(start, SECTION, ['Start the engine and keep it running', 'llm-tool-test engine start --stay']);

  const stop = engine
    .command('stop')
    .description('Stop the server and the worker; open sweeps continue when they are started again')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await engineWork()).engineStop(options)));
  addHelp(stop, SECTION, ['Stop the engine', 'llm-tool-test engine stop']);

  const status = engine
    .command('status')
    .description('Show which processes of the engine are running')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await engineWork()).engineShowStatus(options)));
  addHelp(status, SECTION, ['Show the status as JSON', 'llm-tool-test engine status --json']);

  const keep = engine
    .command('keep')
    .description('Keep the engine running from the foreground, for containers and service managers')
    .option(...STAY, false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .action(async (options) => exitWith((await import('../engine-keep.js')).engineKeep(options)));
  addHelp(keep, SECTION, ['Run the engine in a container', 'llm-tool-test engine keep --stay']);
}

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
      parseList,
      [],
    )
    .option('--label <names>', 'labels for `run --host-labels` (comma-separated, repeatable)', parseList, [])
    .option('--name <name>', 'name of this host (default: name of the machine)')
    .option('--env-file <file>', 'read variables of agents and targets from a file, again for each step')
    .addOption(
      new Option('--metrics <host:port>', 'serve Prometheus metrics at this address, for example 127.0.0.1:9464').env(
        'LLM_TOOL_TEST_METRICS',
      ),
    )
    .action(async (options) => exitWith((await import('../worker.js')).runHost(options)));
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

export function addWorkers(program: Program, { exitWith }: CommandLine): void {
  const workers = program.command('workers').description('Show and drain the hosts of shared results');
  addHelp(
    workers,
    'workers',
    ['Show the hosts', 'llm-tool-test workers list --results /mnt/results'],
    ['Let a host finish its runs before an update', 'llm-tool-test workers drain build-7 --results /mnt/results'],
  );

  const list = workers
    .command('list', { isDefault: true })
    .description('Show the hosts: versions, slots, runs, and the cells that they decline (default)')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('../workers.js')).showWorkers(options)));
  addHelp(list, 'workers', ['Show the hosts as JSON', 'llm-tool-test workers list --json --results /mnt/results']);

  const drain = workers
    .command('drain')
    .description('Let a host finish its runs and take no new ones')
    .argument('<host>', 'name or id of the host')
    .option('--undo', 'let it take runs again', false)
    .option('--wait', 'return when its runs have ended', false)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (host, options) => exitWith((await import('../workers.js')).drainWorker(host, options)));
  addHelp(drain, 'workers', ['Drain a host', 'llm-tool-test workers drain build-7 --results /mnt/results']);
}

export function addCodecServer(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('codec-server')
    .description("Decrypt payloads for Temporal's Web UI and CLI until it is stopped")
    .option('--port <number>', 'port on 127.0.0.1 (default: 8088)', port, 8088)
    .option(
      '--origin <url>',
      'also serve a Web UI at this address; repeatable (default: only a Web UI on this machine)',
      each,
      [],
    )
    .action(async (options) => exitWith((await import('../codec-server.js')).serve(options)));
  addHelp(
    command,
    'codec-server',
    ['Print the endpoint, and serve it until Ctrl-C', 'llm-tool-test codec-server'],
    ['For the Web UI of Temporal Cloud', 'llm-tool-test codec-server --origin https://cloud.temporal.io'],
  );
}
