import { Option, type Command, type OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '#lib';
import { ENV_FILE, judgeModel, LIVE, NO_JUDGE } from './common-options.js';
import { atMostConcurrency, count, each, list, positive, seconds, tier } from './option-values.js';

/** What the scenarios of a verb that plans sweeps may be. */
export const FILES = 'scenario files, folders, or names in the fixtures folder';

/** Adds the options that say what a sweep runs, and how. */
export const addSweepOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('-s, --scenario <file>', 'same as a file argument (repeatable)', each, [])
    .option('--all', 'run all scenarios in the fixtures folder')
    .option('--tags <tags>', 'only scenarios with any of these tags (comma-separated, repeatable)', list, [])
    .option('--tier <n>', 'only scenarios of this tier or lower', tier)
    .option(
      '--agents <names>',
      'run these agents instead of those in tool_matrix (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--tool, --tools <names>', 'same as --agents', list, [])
    .option(
      '--model, --models <names>',
      'run these models instead of those in tool_matrix (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--variants <names>', 'only these variants of scenarios (comma-separated, repeatable)', list, [])
    .option(
      '--with-without',
      'also run each scenario without its subject, as if it said `baseline: true`',
      false,
    )
    .option('--profile <name>', 'agents and models from this profile of the config file')
    .option(
      '--repeat <n>',
      'repetitions of each cell (default: matrix.repeat of the scenario, else 1)',
      count,
    )
    .option('--cell <id>', 'run only this cell of the selection, by id or label (repeatable)', each, [])
    .option(
      '--concurrency <n>',
      'maximum number of cells running at once (default: limits.concurrency of the config file, else 4)',
      atMostConcurrency,
    )
    .addOption(
      new Option('--max-usd <n>', 'budget in US dollars; cells that would exceed it are not started')
        .argParser(positive)
        .env('LLM_TOOL_TEST_BUDGET_USD'),
    )
    .option(
      '--on <labels>',
      'run only on hosts with all of these labels (comma-separated, repeatable)',
      list,
      [],
    )
    .option(
      '--timeout-secs <n>',
      "agent time limit in seconds (default: the scenario's run.timeout_secs, else 300)",
      seconds,
    )
    .option('--target-binary <path>', 'test this build of the target')
    .option('--no-cache', 'ignore cached results')
    .addOption(judgeModel())
    .option(...NO_JUDGE)
    .option(...LIVE, false)
    .option(...ENV_FILE);

interface SweepOptions {
  scenario: string[];
  all?: true | undefined;
  tags: string[];
  tier?: number | undefined;
  agents: string[];
  tools: string[];
  cell: string[];
}

/** Combines options that have several names. @throws UsageError if no scenario is selected */
export function sweepFlags(named: readonly string[], options: SweepOptions, isJudgeNamed: boolean) {
  const files = [...named, ...options.scenario];
  if (files.length === 0 && options.all !== true && options.tags.length === 0 && options.tier === undefined) {
    throw new UsageError('nothing_selected', 'no scenarios given; name some, or use --all, --tags or --tier');
  }
  return { files, cells: options.cell, agents: [...options.agents, ...options.tools], isJudgeNamed };
}
