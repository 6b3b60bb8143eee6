import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `doctor` command. */
export function addDoctor(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('doctor')
    .description('Check that this machine can run scenarios; exit 3 if it cannot')
    .option('--try <agent>', 'instead, start this agent with a trivial prompt and report how it went')
    .option(
      '--model <name>',
      "model for --try (default: the first one in the config file, else the agent's own)",
    )
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./doctor/doctor.js')).doctor(options)));
  addHelp(
    command,
    'doctor',
    ['Report what is missing on this machine', 'llm-tool-test doctor'],
    [
      'Check that an agent, its key and its model work (this costs a few tokens)',
      'LLM_TOOL_TEST_ENABLED=1 llm-tool-test doctor --try claude-code',
    ],
  );
}
