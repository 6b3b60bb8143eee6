/** A container, and the command line program that controls it. */
export interface Container {
  command: 'docker' | 'podman';
  /** Id of its image; a tag may be moved during a sweep. */
  image: string;
  name: string;
  limits?: ContainerLimits;
  /** Set if everything of its image counts: ENTRYPOINT is kept, and the workspace is a folder of the image. */
  whole?: true;
  /** The user of everything that runs in it; absent for that of the image. */
  user?: string;
  /** Folder on the host with the packed agent, which is mounted; absent if the agent is in the image. */
  layer?: string;
  /** Folder on the host with the socket by which the agent reaches its provider; absent if it has a network. */
  relay?: string;
  /**
   * Set for a container from which a verifier works in that of the agent. `perl`: folder on the host with perl, absent
   * if that of the image is used.
   */
  beside?: { container: string; perl?: string };
}

/** A sandbox of E2B. Its id is in the run's private state, or found by its name. */
export interface CloudSandbox {
  /** Name or id of the template that it is made from. */
  template: string;
  /** It ends by itself when this host has not extended its life for this long. */
  timeoutSecs: number;
  /** Value of its metadata, by which it is found if its id was lost. */
  name: string;
  /** Path of the module of the package `e2b`. */
  module: string;
  /** File on the host with the key and the addresses of the service. */
  access: string;
}

/** A cluster, as kubectl finds it: its settings file, context and namespace; absent for its own choice. */
export interface Cluster {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
}

/** A pod, and the cluster that it is in. */
export interface Pod extends Cluster, ContainerLimits {
  image: string;
  name: string;
  /** Value of a label that all pods of this state folder have. */
  owner: string;
  /** Id of the user of everything that runs in it; absent for that of the image. */
  user?: number;
  /** It ends by itself when no worker has used it for this long. */
  timeoutSecs: number;
  /** The time in which it must run: a node is found, and has the image. */
  startTimeoutSecs: number;
}

/** The limits of a container, as a scenario sets them. */
export interface ContainerLimits {
  cpus?: number;
  memory_mb?: number;
  network?: 'none';
}

/** Container settings of a scenario. `image` is absent while the image of `build` has no name. */
export interface RequestedContainer extends ContainerLimits {
  image?: string;
  build?: string;
  build_timeout_secs?: number;
  command: Container['command'];
  /** Set if everything of its image counts. */
  whole?: WholeImage;
}

/** Settings of a scenario for its pods. */
export interface RequestedPod extends Cluster, ContainerLimits {
  image: string;
  user?: number;
  timeout_secs: number;
  start_timeout_secs: number;
}

/** The use of an image as it is: `workdir` in place of its WORKDIR, `user` in place of its USER. */
interface WholeImage {
  workdir?: string;
  user?: string;
}

/** An image that is on this machine. */
export interface FoundImage {
  id: string;
  /** PATH in its containers. */
  path: string;
  workdir: string;
}
