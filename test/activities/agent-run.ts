import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Info } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { type Activities, createActivities } from '../../src/activities/create-activities.js';
import { type AgentStep, readAgentStep } from '../../src/activities/agent/agent-step.js';
import { loadRun } from '../../src/activities/run/load-run.js';
import type { Deps } from '../../src/activities/step/deps.js';
import { inspect, type SupervisedState } from '../../src/host/process/supervise.js';
import type { Step } from '../../src/scenario/scenario.js';
import type { Target } from '../../src/scenario/target.js';
import { stateOfRun } from '../../src/store/results-folder.js';
import type { RunPlan, RunRef } from '../../src/protocol/index.js';
import { scenario, until } from '../commands/project.js';
import { killProcess, killWhenFinished, processesWith, readProc } from '../host/processes.js';
import { newFolder } from '../host/temporary.js';
import { isOwnServer } from './in-activity.js';
import { provenRun } from './proofs.js';
import { storeRun } from './stored-run.js';

/** Suppresses log lines about attempts that fail on purpose. */
const logger = new DefaultLogger('ERROR');
const cell = { id: 'c', scenario: 'worked', agent: 'waiter', model: 'm', variant: 'default', repetition: 1 };
let runs = 0;

/** An attempt of the agent step. */
interface Attempt {
  result: Promise<unknown>;
  /** Waits until the attempt has recorded itself; fails if the attempt does. */
  begun(): Promise<unknown>;
  /** Stops the attempt as a worker does when it shuts down. */
  stop(): void;
  /** The number of heartbeats so far. */
  heartbeats(): number;
}

/** The workflow that performs the run. */
const ofRun = { workflowExecution: { workflowId: 'w', runId: 'r' } };

/** A run with a prepared workspace. Its agent appends a line to `starts` and works until `go` exists. */
export interface AgentRun {
  deps: Deps;
  run: RunRef;
  /** The result of its preparation. */
  runPlan: RunPlan | null;
  /** Performs another step of the run, or a step again. */
  perform<R>(doing: (activities: Activities) => Promise<R>, info?: Partial<Info>): Promise<R>;
  /** The folder of the run in the state folder. */
  root: string;
  begin(number: number, info?: Partial<Info>): Attempt;
  starts(): number;
  untilStarts(count: number): Promise<true>;
  /** The state of a start of the agent. */
  stateOf(start: number): Promise<SupervisedState['state']>;
  letGo(): Promise<void>;
  /** The stored result of the agent's step. */
  step(): Promise<AgentStep>;
  /** Kills the agent itself, but not its supervisor. */
  killAgent(): void;
  /** Identifies the command line of the agent. */
  mark: string;
}

export async function createAgentRun({
  setup = [],
  before = [],
  target = {},
  prints = null,
}: {
  setup?: string[];
  before?: string[];
  target?: Partial<Target>;
  /** Events that the agent prints at its start. Null for an agent whose output is text. */
  prints?: object[] | null;
} = {}): Promise<AgentRun> {
  const folder = await newFolder();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  const deps: Deps = { resultsPath, stateFolder, isOwnServer };
  const activities = createActivities(deps);
  const commands = before.map((command): Step => ({ kind: 'command', command, timeout_secs: 30 }));
  const mark = `${folder}/go`;
  const lines = (prints ?? []).map((event) => `echo '${JSON.stringify(event)}'; `).join('');
  const works = `${lines}echo x >> ${folder}/starts; until [ -e ${mark} ]; do sleep 0.02; done`;
  const text = scenario('worked', {
    more: setup.length === 0 ? '' : `setup: {commands: ${JSON.stringify(setup)}}`,
  });
  await storeRun(resultsPath, cell, text, {
    plan: {
      agents: {
        waiter: {
          command: 'sh',
          args: ['-c', works],
          prompt: 'stdin',
          free: true,
          models: [],
          env: {},
          ...(prints === null ? {} : { output: 'jsonl' }),
        },
      },
    },
    before: commands,
    effective: { target: { binary: 'cat', env: {}, ...target } },
  });
  const run = await provenRun(deps, {
    sweep: 's',
    cell,
    run: `run-worked-${process.pid}-${++runs}`,
    workflowId: 'w',
    firstRunId: 'r',
  });
  killWhenFinished(mark);
  const perform: AgentRun['perform'] = (doing, info = {}) =>
    new MockActivityEnvironment({ ...ofRun, ...info }, { logger }).run(() => doing(activities));
  const runPlan = await perform(({ prepareWorkspace }) => prepareWorkspace(run));
  const starts = (): number => {
    const file = join(folder, 'starts');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  };
  const root = stateOfRun(stateFolder, run.run);
  return {
    deps,
    run,
    runPlan,
    perform,
    root,
    mark,
    starts,
    begin: (number, info = {}) => {
      const environment = new MockActivityEnvironment({ ...ofRun, attempt: number, ...info }, { logger });
      let heartbeats = 0;
      environment.on('heartbeat', () => (heartbeats += 1));
      const result = environment.run(() => activities.runAgent(run));
      result.catch(() => undefined); // reported by whoever awaits it
      const note = join(root, 'agent-attempts', String(number));
      return {
        result,
        heartbeats: () => heartbeats,
        begun: () => Promise.race([until(`attempt ${number}`, () => (existsSync(note) ? true : null)), result]),
        stop: () => environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true })),
      };
    },
    untilStarts: (count) => until(`${count} starts`, () => (starts() >= count ? true : null)),
    stateOf: async (start) => (await inspect(join(root, 'agent', String(start)))).state,
    letGo: () => writeFile(mark, ''),
    step: async () => {
      const { result } = (await readAgentStep(await loadRun(deps, run))) ?? {};
      if (result === undefined) throw new Error('the step left no result');
      return result;
    },
    killAgent: () => {
      for (const pid of processesWith(mark)) if (readProc(pid, 'cmdline').startsWith('sh\0-c\0')) killProcess(pid);
    },
  };
}
