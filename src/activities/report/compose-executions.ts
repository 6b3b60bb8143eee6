import { existsSync } from 'node:fs';
import { startFiles } from '../../environments/journal.js';
import { linesOf } from '../../platform/fs/lines.js';
import type { RunEvent } from '../../results/records/events.js';
import type { Execution, Executions } from '../../results/records/execution.js';
import { SCHEMA_VERSION } from '../../results/records/result-line.js';
import { nameSteps } from '../../results/step-names.js';
import { trajectorySteps } from '../../results/transcript/trajectory-steps.js';
import type { Step } from '../../scenario/scenario.js';
import { stderrTail, type AgentStep } from '../agent/summarize-output.js';
import type { CommandStepResult } from '../step/command-record.js';
import type { FilesAfter } from '../step/files-after.js';
import type { RunContext } from '../step/run-context.js';
import type { Manifest } from '../step/run-step-once.js';
import type { Found } from './collect-steps.js';

/** Composes executions.json: what each step printed, changed and did. Only the names of files are redacted yet. */
export function composeExecutions(context: RunContext, found: Found): Executions {
  const executions = nameSteps(context.scenario.steps).flatMap(({ step, name }): Execution[] => {
    const about = { step: name, name: nameIn(step) };
    if (step.kind === 'agent') {
      const [first, last] = [found.agents[0], found.agents.at(-1)];
      return first === undefined || last === undefined
        ? []
        : [{ ...about, ...ofAgent(context, last), startedAtMs: startOf(first) }];
    }
    const left = found.commands.find(({ of }) => of.name === name)?.left ?? null;
    return left === null ? [] : [{ ...about, ...ofCommand(context, left) }];
  });
  return { schema_version: SCHEMA_VERSION, run_id: context.run.run, executions };
}

type Done = Omit<Execution, 'step' | 'name'>;

const nameIn = (step: Step): string | null => (step.kind === 'script' ? null : (step.name ?? null));

const endOf = ({ at }: Manifest<unknown>): number => Date.parse(at);
const startOf = (step: Manifest<unknown>): number => endOf(step) - step.duration_ms;

const filesOf = (
  { redact }: RunContext,
  after: FilesAfter | null,
): Pick<Done, 'files' | 'filesLeftOut' | 'filesRemoved'> => ({
  files:
    after === null
      ? null
      : Object.fromEntries(Object.entries(after.files).map(([path, text]) => [redact(path), text])),
  filesLeftOut: after?.leftOut ?? null,
  filesRemoved: after?.removed ?? null,
});

function ofCommand(context: RunContext, left: Manifest<CommandStepResult>): Done {
  const { exit_code, stdout, stderr, duration_ms, output, after = null } = left.result;
  return {
    ...{ exitCode: exit_code, stdout: output?.text ?? stdout, stderr },
    ...filesOf(context, after),
    ...{ startedAtMs: startOf(left), endedAtMs: endOf(left), durationMs: duration_ms },
    ...{ trajectory: [], trajectoryLeftOut: 0 },
  };
}

function ofAgent(context: RunContext, left: Manifest<AgentStep>): Done {
  const { files, handle } = context;
  const { record, trajectory, after = null } = left.result;
  const { stderr } = startFiles(handle, record.starts);
  const isShown = trajectory?.structured === true && existsSync(files.events);
  const { steps, leftOut } = trajectorySteps(isShown ? eventsIn(files.events) : []);
  return {
    ...{ exitCode: record.exit_code, stdout: trajectory?.answer ?? '' },
    stderr: existsSync(stderr) ? stderrTail(stderr) : '',
    ...filesOf(context, after),
    ...{ startedAtMs: startOf(left), endedAtMs: endOf(left), durationMs: record.duration_ms },
    ...{ trajectory: isShown ? steps : null, trajectoryLeftOut: leftOut },
  };
}

function* eventsIn(file: string): Generator<RunEvent> {
  for (const { text } of linesOf(file, Infinity)) yield JSON.parse(text) as RunEvent;
}
