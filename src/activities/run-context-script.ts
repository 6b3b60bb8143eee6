import { callScript, NO_DENO } from '#agent-scripts';
import type { ContextBrief, RunRef } from '#protocol';
import type { ContextStep } from './agent/context-message.js';
import { heartbeating } from './step/heartbeat.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './step/run-context.js';
import { stepAt } from './step/scenario-steps.js';
import { scriptPlace } from './step/script-place.js';
import { stepCommands } from './step/step-commands.js';
import { toRecord } from './step/command-record.js';

/**
 * Runs one script of `task.context`, whose answer is given to the agent. An answer that reports a failure counts as an
 * answer. If the script cannot be run or breaks the contract, there is no answer, and the agent is not started.
 */
export const runContextScript =
  (deps: Deps) =>
  async (run: RunRef, index: number): Promise<ContextBrief> => {
    const context = await loadRun(deps, run);
    const { name, step: script } = stepAt(context.scenario, 'script', index);
    const { unfit } = await runStepOnce<ContextStep>(context, name, async () => {
      // As the agent would run it: the script does not learn where results and gates are.
      const env = { ...context.checksEnv, ...context.targetEnv };
      const called = await heartbeating((signal) => {
        const inStep = stepCommands(context, name, signal);
        return callScript(
          script,
          script.timeout_secs,
          scriptPlace(context, inStep, env, script.timeout_secs),
        );
      });
      const { line, result } = called;
      const record = result === null ? null : toRecord(context, line, result);
      if (called.kind === 'answered')
        return { record, told: { line, answer: JSON.stringify(called.answer) }, unfit: null };
      const problem = called.kind === 'no_deno' ? NO_DENO : called.problem;
      return { record, told: null, unfit: context.redact(`task.context: ${problem}`) };
    });
    return { unfit };
  };
