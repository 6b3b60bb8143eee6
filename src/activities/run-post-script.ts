import type { RunRef } from '#protocol';
import { heartbeating } from './step/heartbeat.js';
import { filesAfter } from './step/files-after.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './step/run-context.js';
import { stepAt } from './step/scenario-steps.js';
import { scriptEnv } from './step/script-place.js';
import { stepCommands } from './step/step-commands.js';
import { outputOf, toRecord, type CommandStepResult } from './step/command-record.js';

/** Runs one command of the scenario, usually a post script. A failing command is only recorded and reported as a warning. */
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
