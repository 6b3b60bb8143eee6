import { spawnSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import type { Pod } from '../../src/environments/machine/settings.js';
import { isRefused } from '../../src/environments/kubernetes/kubectl.js';
import { podManifest, policyManifest, shutLabel } from '../../src/environments/kubernetes/pod-manifest.js';
import {
  markedScript,
  provenArgs,
  readCommand,
  readProven,
  readProvenErrors,
} from '../../src/environments/kubernetes/pod-scripts.js';
import { readPodState, type PodDocument } from '../../src/environments/kubernetes/pod-state.js';

const POD: Pod = {
  image: 'debian:12',
  name: 'llm-tool-test-0123456789abcdef-01234567',
  owner: 'f00d',
  timeoutSecs: 600,
  startTimeoutSecs: 60,
};

describe('the manifest of a pod', () => {
  it('gives it no rights, gains none, and is never started again', () => {
    expect(podManifest(POD, 'mark')).toMatchObject({
      metadata: { name: POD.name, labels: { 'llm-tool-test/run': POD.name, 'llm-tool-test/owner': 'f00d' } },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        activeDeadlineSeconds: expect.any(Number) as number,
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            env: [{ name: 'LLM_TOOL_TEST_RUN', value: 'mark' }],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    });
  });

  it('has the limits and the user of the scenario', () => {
    const limited = { ...POD, cpus: 0.5, memory_mb: 64, user: 1000 };
    const resources = { cpu: '0.5', memory: '64Mi' };
    expect(podManifest(limited, 'mark')).toMatchObject({
      spec: {
        containers: [
          {
            resources: { limits: resources, requests: resources },
            securityContext: { runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true },
          },
        ],
      },
    });
  });

  it('without network has a policy that forbids all once the pod has its label, and that goes with the pod', () => {
    const [label, value] = shutLabel(POD).split('=');
    expect(JSON.stringify(podManifest({ ...POD, network: 'none' }, 'mark'))).not.toContain(label);
    expect(policyManifest(POD, 'uid-1')).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Pod', name: POD.name, uid: 'uid-1' }] },
      spec: { podSelector: { matchLabels: { [label ?? '']: value } }, policyTypes: ['Ingress', 'Egress'] },
    });
  });

  it('has labels that Kubernetes accepts, however long its name is', () => {
    const { metadata } = podManifest({ ...POD, name: `llm-tool-test-${'a'.repeat(20)}-${'b'.repeat(50)}` }, 'mark') as {
      metadata: { labels: Record<string, string> };
    };
    for (const value of Object.values(metadata.labels))
      expect(value).toMatch(/^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/);
  });
});

const waiting = (reason: string, message = ''): PodDocument => ({
  status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason, message } } }] },
});
const spec = { nodeName: 'node1' };

test.each<[string, PodDocument, object]>([
  [
    'runs',
    {
      metadata: { uid: 'u' },
      status: { phase: 'Running', containerStatuses: [{ imageID: 'i', state: { running: {} } }] },
    },
    { state: 'running', uid: 'u', imageId: 'i' },
  ],
  [
    'was evicted',
    { spec, status: { phase: 'Failed', reason: 'Evicted', message: 'low on\nephemeral-storage' } },
    { state: 'over', why: 'ended on the node node1: Evicted, its node needed the room, low on ephemeral-storage' },
  ],
  [
    'used too much memory',
    {
      spec,
      status: {
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }],
      },
    },
    {
      state: 'over',
      why: 'ended on the node node1: OOMKilled, it used more memory than environment.memory_mb or its node allows',
    },
  ],
  [
    'is deleted by a drain',
    {
      metadata: { deletionTimestamp: 'now' },
      spec,
      status: {
        phase: 'Running',
        conditions: [
          { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'evicting' },
        ],
      },
    },
    { state: 'over', why: 'was deleted on the node node1: EvictionByEvictionAPI, evicting' },
  ],
  [
    'was deleted, and its first process has ended',
    {
      metadata: { deletionTimestamp: 'now' },
      spec,
      status: {
        phase: 'Running',
        containerStatuses: [{ state: { terminated: { reason: 'Completed', exitCode: 0 } } }],
      },
    },
    { state: 'over', why: 'was deleted on the node node1' },
  ],
  [
    'waits for a node',
    {
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes: cpu' }],
      },
    },
    { state: 'waiting', why: 'Unschedulable, no node has room for it, or may run it, 0/1 nodes: cpu', isFinal: false },
  ],
  [
    'waits for its image',
    waiting('ImagePullBackOff', 'Back-off pulling'),
    { state: 'waiting', why: 'ImagePullBackOff, its image cannot be pulled, Back-off pulling', isFinal: false },
  ],
  ['has an image that is never pulled', waiting('ErrImageNeverPull'), { state: 'waiting', isFinal: true }],
  ['has a name of an image that is none', waiting('InvalidImageName'), { state: 'waiting', isFinal: true }],
  [
    'has no shell',
    {
      status: {
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: { reason: 'StartError', message: 'no sh' } } }],
      },
    },
    { state: 'over', why: 'ended: StartError, no sh', isFinal: true },
  ],
  ['says nothing yet', { status: { phase: 'Pending' } }, { state: 'waiting', why: 'Kubernetes gives no reason' }],
])('a pod that %s', (_title, document, expected) => {
  expect(readPodState(document)).toMatchObject(expected);
});

test('refusals of the API server are told from a server that is away', () => {
  expect(isRefused('Error from server (Forbidden): pods is forbidden')).toBe(true);
  expect(isRefused('The connection to the server 127.0.0.1:6443 was refused')).toBe(false);
});

describe('a script with a proven end', () => {
  const TOKEN = 'llm-tool-test-00ff';
  /** Runs it as in a pod; `PLACE` is not there, so its note that the pod is used fails, which does no harm. */
  const run = (script: string, sent = markedScript(TOKEN, script)) => {
    const [program = '', ...args] = provenArgs(TOKEN).map((word) =>
      word.replaceAll('/llm-tool-test/used', '/dev/null'),
    );
    const { stdout, stderr } = spawnSync(program, args, { input: sent });
    return { out: readProven(TOKEN, stdout), errors: readProvenErrors(TOKEN, `Warning: x\n${stderr.toString()}`) };
  };

  it.each([
    ['that ends', 'echo a; echo b >&2', 0],
    ['that exits', 'echo a; echo b >&2; exit 7', 7],
    ['that fails in a subshell', 'echo a; echo b >&2; (exit 3)', 3],
  ])('%s gives its output and its exit status', (_title, script, exitCode) => {
    const { out, errors } = run(script);
    expect([out?.exitCode, out?.output.toString(), errors]).toEqual([exitCode, 'a\n', 'b\n']);
  });

  it('does not run if only a part of it has come', () => {
    expect(run('', 'echo a; rm').out).toBeNull();
  });

  it('has no proof if it was cut off, even after an exit with success', () => {
    const whole = Buffer.from(`a\n${TOKEN} 0\n`);
    expect(readProven(TOKEN, whole)).toEqual({ exitCode: 0, output: Buffer.from('a\n') });
    for (let end = 0; end < whole.length; end += 1) expect(readProven(TOKEN, whole.subarray(0, end))).toBeNull();
    expect(readProvenErrors(TOKEN, `${TOKEN}half`)).toBeNull();
  });
});

test('the state of a command is parsed with its output', () => {
  const { out, err, ...rest } = readCommand(Buffer.from('ended 9 2 5 3 0\na\nerr'));
  expect([out.toString(), err.toString(), rest]).toEqual([
    'a\n',
    'err',
    { state: 'ended', exitCode: 9, outMore: 5, errMore: 0 },
  ]);
});
