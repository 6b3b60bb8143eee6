import { formatKnownCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { terminalText } from '../lib/format/table.js';
import { runAgainText } from '../results/records/host.js';
import { shownTokens } from '../results/records/recorded-usage.js';
import type { AgentRecord, RunRecord } from '../results/records/run-record.js';
import type { ActionLog } from '../results/transcript/action-log.js';
import { mcpText, skillsText } from './subject-use-text.js';

/** The rows at the top of `show <run>`: who did what, when, and what it used. */
export function runFacts(run: RunRecord, actionLog: ActionLog | null): string[][] {
  const { agent } = run;
  const used = agent === null ? null : tokens(agent);
  const again = runAgainText(run.lost_hosts);
  const cost = formatKnownCost(agent?.cost_usd ?? null, agent?.cost_usd_at_least);
  return [
    ['run', terminalText(run.run_id)],
    [
      'agent',
      terminalText(
        `${run.agent_name} ${agent?.version ?? ''}`.trim() + `, ${agent?.model_used ?? run.model}`,
      ),
    ],
    ['cell', terminalText(`${run.variant} #${run.repetition}, started ${run.started_at}`)],
    [
      'took',
      `${formatDuration(run.duration_secs * 1000)}, cost ${cost}${used === 'n/a' ? ', tokens n/a' : ''}`,
    ],
    ...(run.host === undefined ? [] : [['host', terminalText(run.host.name)]]),
    ...(again === null ? [] : [['again', terminalText(again)]]),
    ...(used === null || used === 'n/a' ? [] : [['tokens', used]]),
    ...(actionLog === null ? [] : useRows(actionLog)),
    ...(agent?.completed === true
      ? []
      : [['ended', agent === null ? notStarted(run) : terminalText(agent.message)]]),
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
