import { Command } from '@commander-js/extra-typings';
import { packageVersion } from '#host';
import {
  addAudit,
  addClean,
  addCompare,
  addExport,
  addMerge,
  addReport,
  addShow,
  addSweeps,
  addUi,
  addView,
} from './options/results.js';
import { addCodecServer, addEngine, addWorker, addWorkers } from './options/machine.js';
import { addCompletion, addSchema, addScripts } from './options/tools.js';
import { addDoctor, addImport, addInit, addScenarios, addTry, addValidate } from './options/prepare.js';
import { addCancel, addPause, addRegrade, addResume, addRetry } from './options/continue.js';
import { addPlan, addRun, addScenario } from './options/run.js';
import { addSchedule } from './options/schedule.js';
import { addHelp, type CommandLine, type Program } from './shared/verb.js';
import { useMirror } from './shared/shared-results.js';

/** All verbs, in the order of the help. */
const verbs = [
  ...[addInit, addTry, addImport, addDoctor, addValidate, addScenarios],
  ...[addPlan, addRun, addScenario, addResume, addRetry, addRegrade, addPause, addCancel, addSchedule],
  ...[addShow, addReport, addExport, addMerge, addCompare, addSweeps, addAudit, addView, addUi],
  ...[addClean, addEngine, addWorker, addWorkers, addCodecServer, addScripts, addSchema, addCompletion],
];

/** Refuses empty values: `--results "$FOLDER"` with an unset variable would mean the current folder. */
function requireValues(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    const isEmpty = value === '' || (Array.isArray(value) && value.includes(''));
    if (isEmpty && command.getOptionValueSource(name) === 'cli')
      command.error(`error: option '${option.flags}' is empty; expected a value`);
  }
}

/**
 * Creates the command line. The action of each verb imports what it needs: `--help` must not load Temporal's client.
 */
export function createProgram(commandLine: CommandLine): Program {
  const program: Program = new Command('llm-tool-test')
    .description('Test whether LLM agents can use your command-line tool')
    .version(packageVersion)
    .configureHelp({
      showGlobalOptions: false,
      // The descriptions contain the defaults, because those that Commander knows are mostly `false` and `[]`.
      optionDescription: ({ description, envVar, argChoices }) =>
        [
          description,
          ...(argChoices === undefined ? [] : [`(choices: ${argChoices.join(', ')})`]),
          ...(envVar === undefined ? [] : [`(env: ${envVar})`]),
        ].join(' '),
    })
    .enablePositionalOptions()
    .exitOverride();
  program.hook('preAction', (_, command) => requireValues(command as Command));
  program.hook('preAction', async (_, command) => useMirror(command as Command));
  for (const addVerb of verbs) addVerb(program, commandLine);
  addHelp(
    program,
    '',
    ['Create a scenario and run it with the free mock agent', 'llm-tool-test init'],
    ['', 'llm-tool-test run stock_delivery'],
    ['Show the options of a verb', 'llm-tool-test run --help'],
  );
  return program;
}
