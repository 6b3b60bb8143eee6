/** The warning that an agent is given more than its run: what it reads above its workspace, which is the user's own. */
export const readAboveWarning = (agent: string, found: readonly string[]): string =>
  `${agent} also reads ${found.join(', ')}, above the folder of its run, which can change what is measured; move ${found.length === 1 ? 'it' : 'them'} away, run in a sandbox (environment.type bubblewrap), or set LLM_TOOL_TEST_HOME to a folder outside of there`;
