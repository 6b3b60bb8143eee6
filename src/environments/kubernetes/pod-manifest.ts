import { RUN_MARK } from '#host';
import type { Pod } from '../machine/settings.js';
import { quoted } from '../machine/machine.js';
import { firstProcess } from '../machine/first-process.js';

/** The volume of a pod in which everything of its run is. Any user may write to it. */
export const PLACE = '/llm-tool-test';
/** Touched by each script of a worker: a pod that nobody uses any more ends by itself. */
export const USED = `${PLACE}/used`;
/** The only container of a pod. */
export const CONTAINER = 'run';
/** A pod ends after this time, even if the agent in it pretends that it is used. */
const MOST_SECS = 7 * 24 * 3600;

/** Label of all our pods and policies, and its value. */
const [MANAGED_BY, US] = ['app.kubernetes.io/managed-by', 'llm-tool-test'];
/** Selects them. */
export const OURS = `${MANAGED_BY}=${US}`;
/** Label that a pod without network gets once it is seen that it has one. Its policy selects it. */
const SHUT = 'llm-tool-test/shut';

const labelsOf = ({ name, owner }: Pod): Record<string, string> => ({
  [MANAGED_BY]: US,
  'llm-tool-test/run': labelValue(name),
  'llm-tool-test/owner': owner,
});

/** At most 63 characters. The end of a name tells runs apart. */
const labelValue = (name: string): string => name.slice(-63).replace(/^[^A-Za-z0-9]+/, '');

/** PID 1 of a pod, which ends when no worker has used the pod for a time. */
const firstScript = (timeoutSecs: number): string => {
  const age = `$(($(date +%s) - $(stat -c %Y ${quoted(USED)} || echo 0)))`;
  return `: >${quoted(USED)}; ${firstProcess(`[ ${age} -lt ${timeoutSecs} ] || exit 0`)}`;
};

/** The pod of a run: it has no rights in the cluster, gains none, and is never started again. */
export function podManifest(pod: Pod, mark: string): object {
  const { name, image, cpus, memory_mb, user, timeoutSecs } = pod;
  const resources = {
    ...(cpus === undefined ? {} : { cpu: String(cpus) }),
    ...(memory_mb === undefined ? {} : { memory: `${memory_mb}Mi` }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: labelsOf(pod) },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: MOST_SECS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: CONTAINER,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', firstScript(timeoutSecs)],
          workingDir: '/',
          // Everything that is started in it carries the mark of the run.
          env: [{ name: RUN_MARK, value: mark }],
          resources: { limits: resources, requests: resources },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            ...(user === undefined ? {} : { runAsUser: user, runAsGroup: user, runAsNonRoot: user !== 0 }),
          },
          volumeMounts: [{ name: 'place', mountPath: PLACE }],
        },
      ],
      volumes: [{ name: 'place', emptyDir: {} }],
    },
  };
}

/** Forbids the pod that has the label all traffic. It is removed with the pod, which owns it. */
export const policyManifest = (pod: Pod, uid: string): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: {
    name: pod.name,
    labels: labelsOf(pod),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.name, uid }],
  },
  spec: { podSelector: { matchLabels: { [SHUT]: labelValue(pod.name) } }, policyTypes: ['Ingress', 'Egress'] },
});

/** The argument of `kubectl label` with which the policy selects the pod. */
export const shutLabel = ({ name }: Pod): string => `${SHUT}=${labelValue(name)}`;
