import { UsageError } from '../lib/errors/usage-error.js';
import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { list } from './shared/option-values.js';

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
      '--fail-on-worse',
      'exit 1 if head is worse, 3 if it was not fully tested, 4 if there are too few runs to tell',
      false,
    )
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (base, head, { agents, ...options }) => {
      if (agents) {
        const { compareAgents } = await import('./compare/compare-agents.js');
        return exitWith(compareAgents(base, head, options));
      }
      if (base === undefined)
        throw new UsageError(
          'usage',
          "missing required argument 'base', the sweep before the change; --agents needs none",
        );
      return exitWith((await import('./compare/compare.js')).compare(base, head, options));
    });
  addHelp(
    command,
    'compare',
    ['Compare the sweeps named before and after', 'llm-tool-test compare before after'],
    ['Compare two variants in the newest sweep', 'llm-tool-test compare latest --variants bare,guided'],
    ['Rank the agents and models of the newest sweep', 'llm-tool-test compare --agents'],
    ['Fail a CI job if the newest sweep is worse', 'llm-tool-test compare before --fail-on-worse'],
  );
}
