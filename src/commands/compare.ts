import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { level, list, percentagePoints } from './shared/option-values.js';

const FORMATS = ['text', 'md', 'json'] as const;

/** Adds the `compare` command. */
export function addCompare(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('compare')
    .description('Compare two sweeps or two variants: better, worse, or too few runs to tell')
    .argument('[base]', 'sweep before the change: its id, a unique prefix of it, or `latest`')
    .argument('[head]', 'sweep after the change (default: latest; with --variants the same sweep)')
    .option('--variants <base,head>', 'compare these two variants', list, [])
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
      new Option('--format <format>', 'text, md (for a pull request) or json (default: text)').choices(
        FORMATS,
      ),
    )
    .addOption(new Option(JSON_FLAG[0], 'same as --format json').conflicts('format'))
    .action(async (base, head, { agents, json, format = json === true ? 'json' : 'text', ...given }) => {
      const options = { ...given, format };
      if (agents) {
        const { compareAgents } = await import('./compare/compare-agents.js');
        return exitWith(compareAgents(base, head, options));
      }
      return exitWith((await import('./compare/compare.js')).compare(base, head, options));
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
