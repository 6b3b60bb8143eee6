import { formatDuration, formatKnownCost, groupBy, terminalText } from '#lib';
import { type ActionLog, type AgentRecord, runAgainText, type RunRecord, shownTokens, type SubjectUse } from '#model';

/** The rows at the top of `show <run>`: who did what, when, and what it used. */
export function runFacts(run: RunRecord, actionLog: ActionLog | null): string[][] {
  const { agent } = run;
  const used = agent === null ? null : tokens(agent);
  const again = runAgainText(run.lost_hosts);
  const cost = formatKnownCost(agent?.cost_usd ?? null, agent?.cost_usd_at_least);
  return [
    ['run', terminalText(run.run_id)],
    ['agent', terminalText(`${run.agent_name} ${agent?.version ?? ''}`.trim() + `, ${agent?.model_used ?? run.model}`)],
    ['cell', terminalText(`${run.variant} #${run.repetition}, started ${run.started_at}`)],
    ['took', `${formatDuration(run.duration_secs * 1000)}, cost ${cost}${used === 'n/a' ? ', tokens n/a' : ''}`],
    ...(run.host === undefined ? [] : [['host', terminalText(run.host.name)]]),
    ...(again === null ? [] : [['again', terminalText(again)]]),
    ...(used === null || used === 'n/a' ? [] : [['tokens', used]]),
    ...(actionLog === null ? [] : useRows(actionLog)),
    ...(agent?.completed === true ? [] : [['ended', agent === null ? notStarted(run) : terminalText(agent.message)]]),
  ];
}

/** Formats tokens: "input 1,200, output 350, reasoning n/a, ...". An unknown count is not 0. */
function tokens(agent: AgentRecord): string {
  const { usage, atLeast } = shownTokens(agent);
  const { input, output, reasoning, cache_read, cache_write } = usage;
  const parts: [number | null, string][] = [
    [input, 'input'],
    [output, 'output'],
    [reasoning, 'reasoning'],
    [cache_read, 'cache read'],
    [cache_write, 'cache write'],
  ];
  if (parts.every(([count]) => count === null)) return 'n/a';
  const counts = parts.map(([count, word]) => `${word} ${count?.toLocaleString('en') ?? 'n/a'}`).join(', ');
  return `${atLeast ? 'at least ' : ''}${counts}`;
}

const notStarted = ({ scenario }: RunRecord): string =>
  scenario.prompt === null ? 'no agent took part' : 'the agent was not started';

function useRows({ use }: ActionLog): string[][] {
  const [skills, mcp] = [skillsText(use), mcpText(use)];
  return [
    ...(skills === null ? [] : [['skills', terminalText(skills)]]),
    ...(mcp === null ? [] : [['MCP', terminalText(mcp)]]),
  ];
}

/** Names the skills that were used: "stamp, pdf-forms (3 times)". Null if none was. */
const skillsText = ({ skills }: SubjectUse): string | null =>
  skills.length === 0
    ? null
    : skills.map(({ name, uses }) => (uses === 1 ? name : `${name} (${uses} times)`)).join(', ');

/**
 * Counts the calls of MCP servers: "files: read_file 3, write_file 2 (1 failed); db: 1 problem". Null if there were
 * none.
 */
function mcpText({ tools, problems }: SubjectUse): string | null {
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
