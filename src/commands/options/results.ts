import { Option } from '@commander-js/extra-typings';
import { formatNames } from '#reports';
import { httpOrigin, parseCount, level, parseList, percentagePoints, port } from '../shared/option-values.js';
import {
  addHelp,
  ADDRESS,
  type CommandLine,
  ENV_FILE,
  ID,
  JSON_FLAG,
  type Program,
  RESULTS,
  SWEEP,
} from '../shared/verb.js';

export function addShow(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('show')
    .description('Show the results of a sweep, or what the agent of a run did')
    .argument(`<${ID[0]}>`, ID[1])
    .option('--failed', 'only cells that failed, ended with an error or were cancelled', false)
    .option(
      '--scenario, --scenarios <names>',
      'only cells of these scenarios (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option('--agent, --agents <names>', 'only cells of these agents (comma-separated, repeatable)', parseList, [])
    .option('--model, --models <names>', 'only cells of these models (comma-separated, repeatable)', parseList, [])
    .option(
      '--variant, --variants <names>',
      'only cells of these variants (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option(
      '--label, --labels <names>',
      'only cells whose human review has one of these labels (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option('--all', 'print everything, even if it is longer than the screen', false)
    .option('--transcript', 'print the whole conversation of a run, or its events with --json', false)
    .option(...RESULTS)
    .option('--follow', 'show a running sweep or run until it is over')
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('../show/show.js')).show(id, options)));
  addHelp(
    command,
    'show',
    ['Show the newest sweep', 'llm-tool-test show latest'],
    ['Show which cells of an agent did not pass, and why', 'llm-tool-test show latest --failed --agent codex'],
    ['Show the commands of a run, by a prefix of its id', 'llm-tool-test show 20260102-030405'],
    ['Print its whole conversation', 'llm-tool-test show 20260102-030405 --transcript'],
    ['Watch what the agent of a run is doing', 'llm-tool-test show 20260102-030405 --follow'],
    ['Print a sweep as JSON', 'llm-tool-test show before --json'],
  );
}

export function addReport(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('report')
    .description('Write a report of a sweep and all its runs')
    .argument(...SWEEP)
    .addOption(
      new Option('--format <format>', 'format of the report (default: md)').choices([
        ...formatNames,
        'html',
        'atif',
      ] as const),
    )
    .option(
      '--output <file>',
      'write to this file instead of stdout (`github` appends; `atif` also writes into a folder)',
    )
    .option(
      '--url <address>',
      'with --format github: where the HTML report will be, so that each run links to its page',
    )
    .option(...RESULTS)
    .addOption(new Option(JSON_FLAG[0], 'same as --format json').conflicts(['format', 'output']))
    .action(async (id, { json, format = json === true ? 'json' : 'md', ...options }) =>
      exitWith((await import('../report.js')).report(id, { ...options, format })),
    );
  addHelp(
    command,
    'report',
    ['Print a report of the newest sweep as Markdown', 'llm-tool-test report latest'],
    ['Write an HTML page', 'llm-tool-test report latest --format html --output report.html'],
    ['Write test results for a CI service', 'llm-tool-test report latest --format junit --output junit.xml'],
    ['Write the conversations as Harbor keeps them', 'llm-tool-test report latest --format atif --output trajectories'],
  );
}

export function addMerge(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('merge')
    .description('Copy the sweeps of other results folders into this one')
    .argument('<folders...>', 'results folders, such as those of the jobs of a matrix')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (folders, options) => exitWith((await import('../merge.js')).merge(folders, options)));
  addHelp(
    command,
    'merge',
    ['Bring the results of two jobs together', 'llm-tool-test merge results-1 results-2'],
    ['Make one sweep of them: their results are reused', 'llm-tool-test run --all --repeat 4'],
  );
}

export function addExport(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('export')
    .description('Write a sweep or a scenario in the form of Harbor')
    .argument('<what>', 'with --harbor a sweep: its id, a unique prefix of it, or `latest`; with --task a scenario')
    .addOption(new Option('--harbor <folder>', 'write the sweep as a job into this folder of jobs').conflicts('task'))
    .option('--task <folder>', 'write the scenario as a task folder')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (what, { harbor, task, ...options }, command) => {
      if (harbor !== undefined) return exitWith((await import('../export.js')).exportHarbor(what, harbor, options));
      if (task !== undefined) return exitWith((await import('../export.js')).exportTask(what, task, options));
      return command.error('error: expected --harbor <folder> or --task <folder>');
    });
  addHelp(
    command,
    'export',
    ['Write the newest sweep as a job that the viewer of Harbor shows', 'llm-tool-test export latest --harbor jobs'],
    ['Write a scenario as a task folder', 'llm-tool-test export stock_delivery --task tasks/stock-delivery'],
  );
}

const FORMATS = ['text', 'md', 'json'] as const;

export function addCompare(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('compare')
    .description('Compare two sweeps or two variants: better, worse, or too few runs to tell')
    .argument('[base]', 'sweep before the change: its id, a unique prefix of it, or `latest`')
    .argument('[head]', 'sweep after the change (default: latest; with --variants the same sweep)')
    .option('--variants <base,head>', 'compare these two variants', parseList, [])
    .option('--agents', 'rank the agents and models of one sweep (default: latest)', false)
    .option(
      '--gate',
      'exit 0 if head is not worse, 1 if it is worse, 3 if it was not fully tested, 4 if the runs are too few to tell',
      false,
    )
    .option('--fail-on-worse', 'the same as --gate', false)
    .option(
      '--margin <points>',
      'largest accepted loss of the pass rate in percentage points: show that head is not worse by that much',
      percentagePoints,
    )
    .option('--alpha <level>', 'level of significance (default: 0.05)', level)
    .option('--baseline <file>', 'compare with a baseline file instead of a sweep; the only argument is head')
    .option('--write-baseline <file>', 'write the results of a sweep (default: latest) into a baseline file')
    .option('--explain', 'say what each number means', false)
    .option(...RESULTS)
    .addOption(
      new Option('--format <format>', 'text, md (for a pull request) or json (default: text)').choices(FORMATS),
    )
    .addOption(new Option(JSON_FLAG[0], 'same as --format json').conflicts('format'))
    .action(async (base, head, { agents, json, format = json === true ? 'json' : 'text', ...given }) => {
      const options = { ...given, format };
      if (agents) {
        const { compareAgents } = await import('../compare.js');
        return exitWith(compareAgents(base, head, options));
      }
      return exitWith((await import('../compare.js')).compare(base, head, options));
    });
  addHelp(
    command,
    'compare',
    ['Compare the sweeps named before and after', 'llm-tool-test compare before after'],
    ['Compare two variants in the newest sweep', 'llm-tool-test compare latest --variants bare,guided'],
    ['Rank the agents and models of the newest sweep', 'llm-tool-test compare --agents'],
    [
      'Fail a CI job unless the newest sweep is at most 10 points worse',
      'llm-tool-test compare before --gate --margin 10',
    ],
    ['Record the newest sweep as the baseline', 'llm-tool-test compare --write-baseline baseline.jsonl'],
    ['Compare the newest sweep with the baseline', 'llm-tool-test compare --baseline baseline.jsonl --gate'],
  );
}

export function addSweeps(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('sweeps')
    .description('List the sweeps, newest first')
    .option('--limit <n>', 'show at most n sweeps (default: 20; with --json all)', parseCount)
    .addOption(new Option('--mine', 'only your own sweeps').default(false).conflicts('owner'))
    .option('--owner <name>', 'only the sweeps of this owner')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('../sweeps.js')).listSweeps(options)));
  addHelp(
    command,
    'sweeps-audit-clean',
    ['List the newest sweeps', 'llm-tool-test sweeps'],
    ['List your own', 'llm-tool-test sweeps --mine'],
    ['List the last 5 as JSON', 'llm-tool-test sweeps --limit 5 --json'],
  );
}

export function addAudit(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('audit')
    .description('List who started, paused, resumed, cancelled, retried, regraded, accepted and cleaned')
    .option('--limit <n>', 'show at most n entries (default: 20; with --json all)', parseCount)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('../audit.js')).audit(options)));
  addHelp(
    command,
    'sweeps-audit-clean',
    ['Show what was done last', 'llm-tool-test audit'],
    ['Print them as JSON', 'llm-tool-test audit --json'],
  );
}

export function addView(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('view')
    .description('Show sweeps, runs and transcripts in the browser until it is stopped')
    .option('--port <number>', 'port on 127.0.0.1 (default: that of the last time, or any that is free)', port, 0)
    .option('--origin <url>', 'also answer a proxy on this machine that serves the page at this address', httpOrigin)
    .option('--new-link', 'give the page a new address, which makes earlier links invalid', false)
    .option('--no-open', 'only print the address, without opening the browser')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('../view.js')).view(options)));
  addHelp(
    command,
    'view',
    ['Open the results of this project in the browser', 'llm-tool-test view'],
    ['Only print the address', 'llm-tool-test view --no-open --port 4000'],
  );
}

export function addUi(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('ui')
    .description("Print the address of Temporal's Web UI, or of its page for a sweep or run")
    .argument(`[${ID[0]}]`, ID[1])
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('../ui.js')).ui(id, options)));
  addHelp(
    command,
    'ui',
    ['Print the address of the Web UI', 'llm-tool-test ui'],
    ['Print the page of the newest sweep', 'llm-tool-test ui latest'],
  );
}

export function addClean(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('clean')
    .description('Delete old runs, sweeps without runs, and unused snapshots')
    .option(
      '--older-than <age>',
      'delete what is older than this: 90m, 12h, 30d or 2w; 0d deletes everything that has ended (required)',
    )
    .addOption(
      new Option(
        '--images',
        'remove the images that were built for runs, and packed agents, instead, unless they are used',
      ).conflicts(['olderThan', 'results', 'verbose']),
    )
    .option('--dry-run', 'show what would be deleted without deleting it', false)
    .option('--verbose', 'list everything that is deleted', false)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async ({ images, ...options }) =>
      exitWith(
        images === true
          ? (await import('../clean/clean-images.js')).cleanImages(options)
          : (await import('../clean/clean.js')).clean(options),
      ),
    );
  addHelp(
    command,
    'sweeps-audit-clean',
    ['Show what would be deleted', 'llm-tool-test clean --older-than 30d --dry-run'],
    ['Delete runs older than 2 weeks', 'llm-tool-test clean --older-than 2w'],
    ['Remove the images that were built for runs, and packed agents', 'llm-tool-test clean --images'],
  );
}
