import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '#lib';

/** Verbs that do not work on results that several hosts share, and what to do instead. */
const REFUSED: Record<string, string> = {
  engine:
    'no engine runs here, because the hosts have workers (llm-tool-test worker) and use a Temporal server of your own',
  clean:
    'nothing is deleted, because other hosts may be using it; to start afresh, share another folder or prefix, and delete this one once no host uses it',
  merge: 'the hosts write there themselves; merge into a local folder',
};
/** The verb that creates shared results and serves them. */
const SERVES = 'worker';

/**
 * If a command uses shared results, brings what is new into the mirror of this machine, and makes the command use the
 * mirror.
 *
 * @throws UsageError if the command does not work on shared results; InfrastructureError if they cannot be reached
 */
export async function useMirror(command: Command): Promise<void> {
  const verb = verbOf(command);
  if (verb === SERVES || !command.options.some((option) => option.attributeName() === 'results')) return;
  const options: { results?: string; envFile?: string } = command.opts();
  // A verb that names no results need not load what reads them.
  const { findSharedProject } = await import('./find-shared-project.js');
  const project = await findSharedProject(options.results);
  if (project === null) return;
  const why = REFUSED[verb];
  if (why !== undefined)
    throw new UsageError('shared_results', `${verb}: the results at ${project.location} are shared: ${why}`);
  if (options.envFile !== undefined && verb !== 'doctor')
    throw new UsageError(
      'env_file',
      '--env-file: runs with shared results take the values of variables from their hosts; give the file to the workers: llm-tool-test worker --env-file <file>',
    );
  command.setOptionValue('results', project.resultsPath);
}

/** The name of the verb, also for `engine start`. */
function verbOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : verbOf(parent as Command);
}
