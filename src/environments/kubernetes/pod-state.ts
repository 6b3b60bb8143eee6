/** The parts of a pod that tell how it is, as the API server prints them. */
export interface PodDocument {
  metadata?: { uid?: string; deletionTimestamp?: string };
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: {
      imageID?: string;
      state?: {
        waiting?: { reason?: string; message?: string };
        running?: object;
        terminated?: { reason?: string; message?: string; exitCode?: number };
      };
    }[];
  };
}

export type PodState =
  | { state: 'running'; uid: string; imageId: string }
  /** `isFinal`: neither waiting longer nor another pod can help. */
  | { state: 'waiting'; why: string; isFinal: boolean }
  /** It has ended, or will in a moment, and its files are lost. */
  | { state: 'over'; why: string; isFinal?: true };

/** Reasons that no later try changes. Images may be there later, and machines join. */
const FINAL = /^(ErrImageNeverPull|InvalidImageName|CreateContainerConfigError|RunContainerError|StartError)$/;

/** Reasons that Kubernetes gives in one word, for people. */
const MEANING: Readonly<Record<string, string>> = {
  Evicted: 'its node needed the room',
  OOMKilled: 'it used more memory than environment.memory_mb or its node allows',
  DeadlineExceeded: 'its time was over',
  NodeLost: 'its node is lost',
  Unschedulable: 'no node has room for it, or may run it',
  ErrImageNeverPull: 'its image is not on its node',
  ErrImagePull: 'its image cannot be pulled',
  ImagePullBackOff: 'its image cannot be pulled',
};

/** Returns how a pod is. */
export function readPodState({ metadata = {}, spec = {}, status = {} }: PodDocument): PodState {
  const [container] = status.containerStatuses ?? [];
  const { waiting, running, terminated } = container?.state ?? {};
  const condition = (type: string, wanted: string) =>
    status.conditions?.find((one) => one.type === type && one.status === wanted);
  const disrupted = condition('DisruptionTarget', 'True');
  // An eviction says more than the exit status of what it has killed.
  const ended = disrupted ?? (status.reason === undefined ? terminated : status) ?? status;
  const where = spec.nodeName === undefined ? '' : ` on the node ${spec.nodeName}`;
  const isDeleted = metadata.deletionTimestamp !== undefined;
  // The first process of a pod that is deleted ends with success.
  if (status.phase === 'Failed' || (terminated !== undefined && !isDeleted)) {
    const isFinal = FINAL.test(terminated?.reason ?? '') ? { isFinal: true as const } : {};
    return { state: 'over', why: `ended${where}: ${reasonText(ended)}`, ...isFinal };
  }
  if (isDeleted)
    return { state: 'over', why: `was deleted${where}${disrupted === undefined ? '' : `: ${reasonText(disrupted)}`}` };
  if (status.phase === 'Succeeded') return { state: 'over', why: `ended${where}` };
  if (status.phase === 'Running' && running !== undefined)
    return { state: 'running', uid: metadata.uid ?? '', imageId: container?.imageID ?? '' };
  const unscheduled = condition('PodScheduled', 'False');
  const reason = waiting?.reason ?? unscheduled?.reason ?? '';
  return { state: 'waiting', why: reasonText(waiting ?? unscheduled ?? status), isFinal: FINAL.test(reason) };
}

function reasonText({ reason, message, exitCode }: { reason?: string; message?: string; exitCode?: number }): string {
  const meaning = reason === undefined ? undefined : MEANING[reason];
  const code = exitCode === undefined || reason === 'OOMKilled' ? undefined : `exit status ${exitCode}`;
  const parts = [reason, meaning, message?.replaceAll(/\s+/g, ' ').trim(), code];
  const given = parts.filter((part) => part !== undefined && part !== '');
  return given.length === 0 ? 'Kubernetes gives no reason' : given.join(', ');
}
