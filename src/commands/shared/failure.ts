import { CommanderError } from '@commander-js/extra-typings';
import { ownCommand, packageFile, UnsafeFolder } from '#host';
import { InfrastructureError, messageOf, systemFailure, UsageError } from '#lib';
import { errorDocument, hasPrintedJson, printJson, printUsageError, printNotice } from './output.js';

/** True for commands that run for days and write a log, which should have the stacks of unexpected errors. */
export const keepsLog = ([verb, part]: readonly string[]): boolean =>
  verb === 'worker' || (verb === 'engine' && part === 'keep');

/**
 * Prints why a command failed (with `--json`, exactly one document) and returns its exit code. Prints no stack for
 * expected errors.
 */
export function reportFailure(error: unknown, to: { json: boolean; log: boolean }): 0 | 2 | 3 {
  // Nobody reads our output anymore: print nothing, but do not report success.
  if ((error as NodeJS.ErrnoException | null)?.code === 'EPIPE') return 3;
  // An error may occur after the result was printed.
  const json = to.json && !hasPrintedJson();
  if (error instanceof CommanderError) {
    // Commander has printed help or its message already.
    if (error.exitCode === 0) return 0;
    if (json) printJson(errorDocument('usage', error.message));
    return 2;
  }
  if (error instanceof UsageError) {
    printUsageError(error, json);
    return 2;
  }
  const { code, message } = explainFailure(error);
  if (json) printJson(errorDocument(code, message));
  printNotice(`error: ${message}`);
  const hasStack = hasDebug() || (to.log && code === 'internal');
  if (hasStack && error instanceof Error) printNotice(error.stack ?? error.message);
  return 3;
}

const hasDebug = (): boolean => (process.env['LLM_TOOL_TEST_DEBUG'] ?? '') !== '';

function explainFailure(error: unknown): { code: 'infrastructure' | 'internal'; message: string } {
  const known =
    error instanceof InfrastructureError || error instanceof UnsafeFolder
      ? error.message
      : (serverFailure(error) ?? systemFailure(error) ?? replacedProgram(error));
  if (known !== null) return { code: 'infrastructure', message: known };
  const reason = messageOf(error);
  return {
    code: 'internal',
    message: `this is a bug in llm-tool-test: ${reason}; please report it with the output of LLM_TOOL_TEST_DEBUG=1`,
  };
}

/** The rest of a command is loaded when it is needed. An update or a new build in the meantime has other files. */
const replacedProgram = (error: unknown): string | null =>
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND' &&
  messageOf(error).includes(`'${packageFile('dist')}/`)
    ? 'llm-tool-test was updated while this command ran, or built again; run the command again'
    : null;

/** Names of the errors of Temporal's client. Loading its classes takes longer than most commands run. */
const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  'ServiceError',
  'WorkflowUpdateRPCTimeoutOrCancelledError',
  'WorkflowUpdateFailedError',
  'WorkflowFailedError',
  'WorkflowNotFoundError',
]);

const isOfGrpc = (error: Error & { code?: unknown; details?: unknown }): boolean =>
  typeof error.code === 'number' && typeof error.details === 'string';

function serverFailure(error: unknown): string | null {
  if (!(error instanceof Error) || !(CLIENT_ERRORS.has(error.name) || isOfGrpc(error))) return null;
  const what = error.name.endsWith('FailedError') ? "the sweep's workflow failed" : 'the Temporal server failed';
  return `${what}: ${rootReason(error)}; try again, or check ${ownCommand('engine status')}`;
}

const rootReason = (error: Error): string => (error.cause instanceof Error ? rootReason(error.cause) : error.message);
