/** The file of acp-program. The prompt comes on standard input, and the agent is its command line. */
export interface AcpFile {
  cwd: string;
  mcpServers: { name: string; command: string; args: string[]; env: { name: string; value: string }[] }[];
  /** The session mode. Null for the agent's own. */
  mode: string | null;
  /** Options of the session, by their ids. */
  options: Record<string, string>;
  /** The model to choose in the session. Null if the agent knows it already. */
  model: string | null;
  /** The session to continue, and how; null for a new one. */
  resume: { session: string; by: AcpResume } | null;
  /** The times for an answer, ms, and for the agent's end after its input is closed. */
  limits: { initialize: number; session: number; end: number };
}

/**
 * The request that continues a session. `listed`: it is loaded if the agent lists it, since it accepts any id.
 */
export type AcpResume = 'resume' | 'load' | 'listed';

/** Exit status of acp-program if there was no session to send the prompt to. */
export const NO_SESSION_STATUS = 78;

export const ACP_LIMITS: AcpFile['limits'] = { initialize: 60_000, session: 60_000, end: 3000 };
