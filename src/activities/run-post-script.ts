import type { CommandRecord } from '../results/run-record.js';
import { STEPS, type RunRef } from '../workflows/protocol.js';
import { heartbeating } from './step/heartbeat.js';
import { publishStep } from './step/publish-step.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './step/run-context.js';
import { scriptEnv } from './step/script-place.js';
import { stepCommands } from './step/step-commands.js';
import { toRecord } from './step/command-record.js';

/** Runs one post script; that it fails is recorded and warned of, nothing more. */
export const runPostScript =
  (deps: Deps) =>
  async (run: RunRef, index: number): Promise<void> => {
    const context = await loadRun(deps, run);
    const script = context.scenario.scripts.post[index];
    if (script === undefined) throw new RangeError(`no post script ${index}`);
    await publishStep<CommandRecord>(context, STEPS.post(index), async () => {
      const { command, timeout_secs: timeoutSecs } = script;
      const result = await heartbeating((signal) =>
        stepCommands(context, STEPS.post(index), signal)(command, scriptEnv(context), timeoutSecs),
      );
      return toRecord(context, command, result);
    });
  };
