/** A program that verifies what the agent has done, and writes rewards. */
export interface VerifyRequest {
  /** Folders on the host that are copied to /tests, each over the ones before. */
  tests: readonly string[];
  /** The program in /tests. */
  script: string;
  env: Record<string, string>;
  /** The variables of the agent's container. */
  containerEnv: Record<string, string>;
  /** Absent for that of the image. */
  user?: string;
  timeoutSecs: number;
  /** The step that it belongs to. */
  part: string;
  /**
   * Set if it has a container of its own: its image, its variables, its workspace if that is not the image's, the paths
   * in the agent's container that are copied into it, and its network if that is not the same.
   */
  apart?: {
    image: string;
    env: Record<string, string>;
    workdir?: string;
    artifacts: readonly string[];
    network?: 'none' | 'public';
  };
  signal: AbortSignal;
}

/** A folder on the host that is copied into a container. `replaces`: what is at its place is removed before. */
export interface PlacedFolder {
  from: string;
  to: string;
  replaces?: true;
}
