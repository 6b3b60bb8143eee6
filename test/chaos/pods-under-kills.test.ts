import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OURS } from '../../src/environments/kubernetes/pod-manifest.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject, until } from '../commands/project.js';
import {
  CLUSTER,
  evict,
  kubectlHere,
  ofOurs,
  POD_IMAGE,
  podsOf,
  restart,
  whyNoCluster,
  whyNoKills,
} from '../environments/cluster.js';
import { uniqueSeconds } from '../host/processes.js';
import { killEngine, killPart, freezeWorker, runsWith, sweepUnderFaults } from './under-kills.js';

const lacking = (await whyNoCluster()) ?? whyNoKills;
if (lacking !== null) console.warn(`no sweep of pods under kills: ${lacking}`);

/** CHAOS_PODS=60,24 runs 60 pods under 24 faults. */
const [PODS = 8, FAULTS = 6] = (process.env['CHAOS_PODS'] ?? '8,6').split(',').map(Number);
const MINUTES = 4 + (PODS + 2 * FAULTS) / 4;

/** In the command lines of all agents, and of all checks: seconds that pass only if the shell is broken. */
const PARTS = { agent: uniqueSeconds(), checks: uniqueSeconds() };
type State = keyof typeof PARTS | 'start';

const AGENT = `
[agents.worker]
command = "sh"
args = ["-c", "sleep 4; echo done >out.txt || sleep ${PARTS.agent}"]
prompt = "stdin"
free = true
models = ["m"]
`;
const GATES = [
  '{type: file_contains, path: out.txt, substring: done}',
  `{type: command_succeeds, command: "sleep 2 || sleep ${PARTS.checks}"}`,
];
const isolated = process.env['LLM_TOOL_TEST_POLICIES'] === '1' ? ', network: none' : '';
const PLACE = `environment: {type: kubernetes, image: '${POD_IMAGE}', memory_mb: 64${isolated}}`;

const LOST = /the pod \S+ (was deleted|ended)|the agent was lost 3 times/;

describe.skipIf(lacking !== null)('a sweep in pods', () => {
  let project: TestProject;
  let before: string[];
  /** Parts of the names of the pods that were ended. */
  const harmed = new Set<string>();

  beforeAll(async () => {
    before = ofOurs('pods,networkpolicies');
    project = await createProject(EMPTY_FIXTURE, { ownServer: true });
    project.env['KUBECONFIG'] = CLUSTER.kubeconfig;
    project.env['LLM_TOOL_TEST_LIMITS'] =
      '{"watchMs": 1000, "heartbeatMs": 4000, "retryMs": 2000, "serverAwayMs": 120000}';
    await project.write('llm-tool-test-config.toml', AGENT);
    await project.write('fixtures/pods.yaml', scenario('pods', { gates: GATES, more: PLACE }));
  });
  afterAll(() => (project as TestProject | undefined)?.remove());

  /** Repeats what the API server must do until it has been up for that. */
  const once = <T>(call: () => T): Promise<T> =>
    until('an answer of the API server', () => {
      try {
        return call();
      } catch {
        return null;
      }
    });
  const isIn = (state: State): boolean => {
    if (state !== 'start') return runsWith(PARTS[state]).length > 0;
    try {
      return ofOurs('pods', '--field-selector', 'status.phase=Pending').length > 0;
    } catch {
      return false; // the API server is away
    }
  };

  /** Ends the pod of a run that is in a state now. */
  const harm = async (state: keyof typeof PARTS, cause: (pod: string) => void): Promise<void> => {
    const [run] = runsWith(PARTS[state]);
    if (run === undefined) return;
    harmed.add(run);
    await once(() => {
      const [pod] = podsOf(run);
      if (pod !== undefined) cause(pod.replace('pod/', ''));
      return true;
    });
  };
  const remove = (pod: string) => kubectlHere('delete', 'pod', pod, '--grace-period=1', '--wait=false');
  const drain = async (): Promise<void> => {
    const [node = ''] = await once(() => kubectlHere('get', 'nodes', '-o', 'name').split('\n'));
    await once(() => kubectlHere('cordon', node));
    try {
      await once(() => {
        ofOurs('pods').forEach((pod) => harmed.add(pod));
        return kubectlHere('drain', node, '--force', '--delete-emptydir-data', '--pod-selector', OURS, '--timeout=60s');
      });
    } finally {
      await once(() => kubectlHere('uncordon', node));
    }
  };

  const faults: readonly (readonly [string, State, () => Promise<void> | void])[] = [
    ['a pod is deleted while its agent works', 'agent', () => harm('agent', remove)],
    ['the kubelet is killed while an agent works', 'agent', () => restart('kubelet')],
    ['the API server is killed while checks run', 'checks', () => restart('apiserver')],
    ['the worker is killed while an agent works', 'agent', () => killPart(project, 'worker')],
    ['the node is drained while an agent works', 'agent', drain],
    ['the server is killed while an agent works', 'agent', () => killPart(project, 'server')],
    ['a pod is evicted while its agent works', 'agent', () => harm('agent', evict)],
    ['the API server is killed while a pod starts', 'start', () => restart('apiserver')],
    ['the worker is killed while checks run', 'checks', () => killPart(project, 'worker')],
    ['the kubelet is killed while a pod starts', 'start', () => restart('kubelet')],
    ['the whole engine is killed while an agent works', 'agent', () => killEngine(project)],
    ['a pod is deleted while its checks run', 'checks', () => harm('checks', remove)],
    ['the API server is killed while an agent works', 'agent', () => restart('apiserver')],
    ['the worker is killed while a pod starts', 'start', () => killPart(project, 'worker')],
    ['the kubelet is killed while checks run', 'checks', () => restart('kubelet')],
    ['the server is killed while checks run', 'checks', () => killPart(project, 'server')],
    ['a pod is evicted while its checks run', 'checks', () => harm('checks', evict)],
    ['the worker freezes while an agent works', 'agent', () => freezeWorker(project)],
  ];

  it(
    'has one result a cell while kubelet, API server, worker and server are killed and pods end, and leaves no pod',
    async () => {
      const args = ['pods', '--agents', 'worker', '--repeat', String(PODS)];
      const document = await sweepUnderFaults(project, {
        args: [...args, '--concurrency', String(Math.min(8, Math.ceil(PODS / 2)))],
        cells: PODS,
        count: FAULTS,
        faults,
        isIn,
        agent: PARTS.agent,
        minutes: MINUTES,
      });
      // A pod that ends after the first turn takes the work with it. Nothing else costs a run its result.
      const isHarmed = (run: string): boolean => [...harmed].some((name) => name.includes(opaqueId(run)));
      const wrong = document.cells.filter(
        ({ outcome, message, results_dir }) =>
          outcome !== 'pass' &&
          !(outcome === 'error' && isHarmed(basename(results_dir ?? '')) && LOST.test(message ?? '')),
      );
      expect(wrong.map(({ id, outcome, message }) => [id, outcome, message])).toEqual([]);
      expect(ofOurs('pods,networkpolicies')).toEqual(before);
    },
    MINUTES * 60_000,
  );
});
