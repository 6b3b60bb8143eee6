import { groupBy } from '../lib/group-by.js';
import type { SubjectUse } from '../results/transcript/subject-use.js';

/** Names the skills that were used: "stamp, pdf-forms (3 times)". Null if none was. */
export const skillsText = ({ skills }: SubjectUse): string | null =>
  skills.length === 0
    ? null
    : skills.map(({ name, uses }) => (uses === 1 ? name : `${name} (${uses} times)`)).join(', ');

/** Counts the calls of MCP servers: "files: read_file 3, write_file 2 (1 failed); db: 1 problem". Null if there were none. */
export function mcpText({ tools, problems }: SubjectUse): string | null {
  const parts = [
    ...tools.map(({ server, tool, calls, failed }) => ({
      server,
      text: `${tool} ${calls}${failed === 0 ? '' : ` (${failed} failed)`}`,
    })),
    ...problems.map(({ server, count }) => ({
      server,
      text: `${count} ${count === 1 ? 'problem' : 'problems'}`,
    })),
  ];
  const servers = groupBy(parts, ({ server }) => server);
  return servers.length === 0
    ? null
    : servers.map((of) => `${of[0]?.server ?? ''}: ${of.map(({ text }) => text).join(', ')}`).join('; ');
}
