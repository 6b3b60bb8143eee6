/** What tells an agent of a project's scripts: a few lines for AGENTS.md or CLAUDE.md (specs/agent-scripts.md has their cost). */
export const DISCOVERY_PROMPT = `## Scripts

\`.agents/scripts/\` holds tools for this project. To use one: \`ls .agents/scripts/\`, read the \`README.md\` of the tool,
then run the command that it shows from the project's root. A tool prints one JSON document:
\`{"success": true, "data": ...}\`, or \`{"success": false, "error": "...", "code": "..."}\`.
`;
