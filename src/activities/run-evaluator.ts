import { callScript } from '#agent-scripts';
import { fileText, readEvaluator, readScriptEvaluator } from '#gates';
import { EvaluatorResult, redactFields, STEPS } from '#model';
import type { RunRef } from '#protocol';
import { heartbeating } from './step/heartbeat.js';
import { runStepOnce } from './step/run-step-once.js';
import { lookInChecks, scriptEnv, scriptPlace } from './step/script-place.js';
import { stepCommands } from './step/step-commands.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './step/run-context.js';

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
