import { existsSync, statSync } from 'node:fs';
import { startFiles } from '#environments';
import { linesOf } from '#host';
import {
  type Execution,
  type Executions,
  isAgentKind,
  nameSteps,
  type RunEvent,
  SCHEMA_VERSION,
  trajectorySteps,
} from '#model';
import { firstAgentStep, type Step } from '#scenario';
import { agentRunsIn, type AgentStep } from '../agent/agent-step.js';
import { stderrTail } from '../agent/summarize-output.js';
import { turnNumber } from '../agent/turns.js';
import type { CommandStepResult } from '../commands/command-record.js';
import type { FilesAfter } from '../commands/files-after.js';
import type { Manifest } from '../step/run-step-once.js';
import type { StepResults } from './collect-steps.js';
import type { LoadedRun, RunPlaces, RunSecrets } from '../run/context.js';

/**
 * Composes executions.json: what each step printed, changed and did, and each turn of a conversation. Only the names of
 * files are redacted yet.
 */
export function composeExecutions(context: LoadedRun, found: StepResults): Executions {
  const first = firstAgentStep(context.scenario);
  const executions = nameSteps(context.scenario.steps).flatMap(({ step, name }, at): Execution[] => {
    const about = { step: name, name: nameIn(step) };
    if (isAgentKind(step.kind)) {
      const runs = agentRunsIn(found, at, first);
      const numbers = [...new Set(runs.map(({ manifest }) => turnNumber(manifest.result)))];
      return numbers.flatMap((number) =>
        ofTurn(
          context,
          about,
          runs.filter(({ manifest }) => turnNumber(manifest.result) === number),
        ),
      );
    }
    const manifest = found.commands.find(({ of }) => of.name === name)?.manifest ?? null;
    return manifest === null ? [] : [{ ...about, ...ofCommand(context, manifest) }];
  });
  return { schema_version: SCHEMA_VERSION, run_id: context.run.run, executions };
}

type ExecutionEnd = Omit<Execution, 'step' | 'name'>;

const nameIn = (step: Step): string | null => (step.kind === 'script' ? null : (step.name ?? null));

const endOf = ({ at }: Manifest<unknown>): number => Date.parse(at);
const startOf = (step: Manifest<unknown>): number => endOf(step) - step.duration_ms;

const filesOf = (
  { redact }: RunSecrets,
  after: FilesAfter | null,
): Pick<ExecutionEnd, 'files' | 'filesLeftOut' | 'filesRemoved'> => ({
  files:
    after === null ? null : Object.fromEntries(Object.entries(after.files).map(([path, text]) => [redact(path), text])),
  filesLeftOut: after?.leftOut ?? null,
  filesRemoved: after?.removed ?? null,
});

function ofCommand(context: RunSecrets, manifest: Manifest<CommandStepResult>): ExecutionEnd {
  const { exit_code, stdout, stderr, duration_ms, output, after = null } = manifest.result;
  return {
    exitCode: exit_code,
    stdout: output?.text ?? stdout,
    stderr,
    ...filesOf(context, after),
    startedAtMs: startOf(manifest),
    endedAtMs: endOf(manifest),
    durationMs: duration_ms,
    trajectory: [],
    trajectoryLeftOut: 0,
  };
}

/** A turn of the agent. It is named after the first run of the agent in it, and ends with the last. */
function ofTurn(
  context: RunPlaces & RunSecrets,
  about: Pick<Execution, 'step' | 'name'>,
  runs: readonly { step: string; manifest: Manifest<AgentStep> }[],
): Execution[] {
  const [first, last] = [runs[0], runs.at(-1)];
  return first === undefined || last === undefined
    ? []
    : [
        {
          ...about,
          ...ofAgent(context, last.manifest),
          step: first.step,
          startedAtMs: agentStartOf(context, first.manifest),
        },
      ];
}

/** When the agent was started. A worker that adopts it later measures only its own part. */
function agentStartOf({ handle }: RunPlaces, manifest: Manifest<AgentStep>): number {
  const { claim } = startFiles(handle, manifest.result.turn?.first ?? 1);
  return existsSync(claim) ? Math.round(statSync(claim).mtimeMs) : startOf(manifest);
}

function ofAgent(context: RunPlaces & RunSecrets, manifest: Manifest<AgentStep>): ExecutionEnd {
  const { files, handle } = context;
  const { record, trajectory, turn, after = null } = manifest.result;
  const { stderr } = startFiles(handle, record.starts);
  const isShown = trajectory?.structured === true && existsSync(files.events);
  const isOfTurn = ({ attempt }: RunEvent): boolean => attempt >= (turn?.first ?? 1) && attempt <= record.starts;
  const { steps, leftOut } = trajectorySteps(isShown ? eventsIn(files.events, isOfTurn) : []);
  const answer = turn === undefined ? trajectory?.answer : turn.agent;
  const durationMs = turn?.own?.duration_ms ?? record.duration_ms;
  return {
    exitCode: record.exit_code,
    stdout: answer ?? '',
    stderr: existsSync(stderr) ? stderrTail(stderr) : '',
    ...filesOf(context, after),
    startedAtMs: startOf(manifest),
    endedAtMs: endOf(manifest),
    durationMs,
    trajectory: isShown ? steps : null,
    trajectoryLeftOut: leftOut,
  };
}

function* eventsIn(file: string, isWanted: (event: RunEvent) => boolean): Generator<RunEvent> {
  for (const { text } of linesOf(file, Infinity)) {
    const event = JSON.parse(text) as RunEvent;
    if (isWanted(event)) yield event;
  }
}
