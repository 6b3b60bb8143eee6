import { callScript, NO_DENO } from '#agent-scripts';
import type { ContextBrief, RunRef } from '#protocol';
import { fileText, readEvaluator, readScriptEvaluator } from '#gates';
import { EvaluatorResult, redactFields, STEPS } from '#model';
import type { ContextStep } from './agent/turns.js';
import { heartbeating } from './step/heartbeat.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './run/load-run.js';
import { stepAt } from './run/scenario-steps.js';
import { lookInChecks, scriptEnv, scriptPlace, stepCommands } from './commands/step-commands.js';
import { type CommandStepResult, outputOf, toRecord } from './commands/command-record.js';
import { filesAfter } from './commands/files-after.js';

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
        return callScript(script, script.timeout_secs, scriptPlace(context, inStep, env, script.timeout_secs));
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

/** Runs one evaluator script, which measures and never changes the outcome. */
export const runEvaluator =
  (deps: Deps) =>
  async (run: RunRef, index: number): Promise<void> => {
    const context = await loadRun(deps, run);
    const evaluator = context.scenario.checks.evaluators[index];
    if (evaluator === undefined) throw new RangeError(`no evaluator ${index}`);
    await runStepOnce<EvaluatorResult>(context, STEPS.evaluator(index), async () => {
      const { command, script, args, name, timeout_secs: timeoutSecs } = evaluator;
      const measured = await heartbeating(async (signal) => {
        const inStep = stepCommands(context, STEPS.evaluator(index), signal, context.checksFolder);
        const place = {
          ...scriptPlace(context, inStep, scriptEnv(context), timeoutSecs),
          readInChecks: async (path: string) => fileText(await lookInChecks(context, path)),
        };
        if (script !== undefined)
          return readScriptEvaluator(name, await callScript({ script, args }, timeoutSecs, place));
        return readEvaluator(name, await place.exec(command ?? ''), timeoutSecs);
      });
      return redactFields(measured, EvaluatorResult, context.redact);
    });
  };

/**
 * Runs one command of the scenario, usually a post script. A failing command is only recorded and reported as a
 * warning.
 */
export const runPostScript =
  (deps: Deps) =>
  async (run: RunRef, index: number): Promise<void> => {
    const context = await loadRun(deps, run);
    const { name, step } = stepAt(context.scenario, 'command', index);
    await runStepOnce<CommandStepResult>(context, name, async () => {
      const { command, timeout_secs: timeoutSecs } = step;
      const result = await heartbeating((signal) =>
        stepCommands(context, name, signal)(command, scriptEnv(context), timeoutSecs),
      );
      const record = { ...toRecord(context, command, result), ...(await filesAfter(deps, context)) };
      return step.gates === undefined ? record : { ...record, output: outputOf(context, result) };
    });
  };
