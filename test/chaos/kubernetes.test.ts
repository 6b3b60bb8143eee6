import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opaqueId } from '../../src/store/results-folder.js';
import { kill, partOf, runsOf } from '../commands/engine-parts.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  type TestProject,
  until,
} from '../commands/project.js';
import { CLUSTER, insidePod, kubectlHere, POD_IMAGE, podsOf, whyNoCluster } from '../environments/cluster.js';
import { WAITER } from './waiter.js';

const lacking = await whyNoCluster();
if (lacking !== null) console.warn(`pods are not tested here: ${lacking}`);

const GATES = ['{type: file_exists, path: out.txt}'];
const PLACE = `environment: {type: kubernetes, image: '${POD_IMAGE}'}`;
/** No node can get its image. */
const NOWHERE = (startSecs: number): string =>
  `environment: {type: kubernetes, image: 'localhost/absent:1', start_timeout_secs: ${startSecs}}`;

describe.skipIf(lacking !== null)('a sweep in pods', () => {
  let project: TestProject;
  const env = { KUBECONFIG: CLUSTER.kubeconfig };

  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE);
    project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 3000, "heartbeatMs": 4000}';
    await project.write('llm-tool-test-config.toml', WAITER);
  });
  afterAll(() => project.remove());

  const begin = async (name: string, more = PLACE) => {
    const text = scenario(name, { gates: GATES, steps: ['say: x'], more }).replace('"do it"', 'go');
    await project.write(`fixtures/${name}.yaml`, text);
    return project.start(['run', name, '--agents', 'waiter', '--name', name, '--json'], env);
  };
  const podOf = (name: string): string | undefined =>
    runsOf(project, name)
      .map(opaqueId)
      .flatMap((run) => podsOf(run))[0];
  /** Waits until the agent has begun for the nth time in a workspace of its own, and returns its pod. */
  const working = (name: string, start: number): Promise<string> =>
    until('the agent', () => {
      const pod = podOf(name);
      const inside = `cat /llm-tool-test/run/workspace/starts; ls /llm-tool-test/run/agent`;
      return pod !== undefined && insidePod(pod, inside) === `x\n${start}\n` ? pod : null;
    });
  const letGo = (pod: string) => insidePod(pod, 'touch /llm-tool-test/run/workspace/go');

  it('adopts the agent after its worker was killed, with one start, one result and all output', async () => {
    const command = begin('adopted');
    const pod = await working('adopted', 1);
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    letGo(pod);
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run, text } = await openRun(documentOf(stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 1, environment: 'kubernetes' });
    expect(await text('artifacts/transcript.raw.txt')).toBe('before\nafter\n');
    expect((await project.resultLines()).filter(({ scenario_id }) => scenario_id === 'adopted')).toHaveLength(1);
    expect(podOf('adopted')).toBeUndefined();
  });

  it('starts the agent again if its pod was deleted, and says so', async () => {
    const command = begin('deleted');
    kubectlHere('delete', await working('deleted', 1), '--grace-period=1');
    letGo(await working('deleted', 2));
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 2 });
    expect(JSON.stringify(run)).toMatch(
      /start 1 of the agent was lost without an exit status: the pod \S+ was deleted/,
    );
    expect(podOf('deleted')).toBeUndefined();
  });

  it('leaves no pod when it is cancelled', async () => {
    const command = begin('cancelled');
    await working('cancelled', 1);
    expect((await project.cli(['cancel', 'cancelled'])).exitCode).toBe(0);
    expect(documentOf((await command).stdout).cells.map(({ outcome }) => outcome)).toEqual(['cancelled']);
    expect(podOf('cancelled')).toBeUndefined();
  });

  it('ends as an error if its pod does not start, and leaves none', async () => {
    const { cells } = documentOf((await begin('absent', NOWHERE(3))).stdout);
    // The reason follows: kubelet reports ErrImagePull and ImagePullBackOff in turns.
    const message = expect.stringContaining('of the image localhost/absent:1 does not start: ') as string;
    expect(cells).toMatchObject([{ outcome: 'error', message }]);
    expect(podOf('absent')).toBeUndefined();
  });

  it('can be cancelled while its pod waits for its image', async () => {
    const command = begin('waiting', NOWHERE(3600));
    await until('the pod', () => podOf('waiting') ?? null);
    expect((await project.cli(['cancel', 'waiting'])).exitCode).toBe(0);
    expect(documentOf((await command).stdout).cells.map(({ outcome }) => outcome)).toEqual(['cancelled']);
    expect(podOf('waiting')).toBeUndefined();
  });
});
