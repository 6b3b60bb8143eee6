import { formatDuration, formatKnownCost, groupBy } from '#lib';
import {
  type ActionLog,
  type AgentRecord,
  type Metrics,
  runAgainText,
  type RunRecord,
  shownTokens,
  type SubjectUse,
} from '#model';

/** `terminal`: the top of `show <run>`; `report`: the table of report.md; `page`: the page of the viewer. */
type Place = 'terminal' | 'report' | 'page';

interface Shown {
  run: RunRecord;
  metrics: Metrics;
  /** Null: the agent left no events. */
  actionLog: ActionLog | null;
}

interface Fact {
  label: string;
  /** Absent: everywhere. */
  only?: readonly Place[];
  /** Null: there is nothing to say. */
  of: (shown: Shown) => string | null;
}

/** The facts about a run as a whole, wherever they are shown. */
const FACTS: readonly Fact[] = [
  { label: 'outcome', only: ['report'], of: ({ run }) => run.outcome },
  { label: 'scenario', only: ['report'], of: ({ run: { scenario } }) => `${scenario.name} (${scenario.file})` },
  { label: 'scenario hash', only: ['report'], of: ({ run }) => run.scenario.hash },
  {
    label: 'tier, tags',
    only: ['report'],
    of: ({ run: { scenario } }) => [scenario.tier, ...scenario.tags].join(', '),
  },
  { label: 'run', only: ['terminal'], of: ({ run }) => run.run_id },
  {
    label: 'agent',
    only: ['terminal'],
    of: ({ run }) => `${`${run.agent_name} ${run.agent?.version ?? ''}`.trim()}, ${modelOf(run)}`,
  },
  {
    label: 'cell',
    only: ['terminal'],
    of: ({ run }) => `${run.variant} #${run.repetition}, started ${run.started_at}`,
  },
  { label: 'agent', only: ['report'], of: ({ run }) => `${run.agent_name}, version ${run.agent?.version ?? 'n/a'}` },
  { label: 'model requested', only: ['report'], of: ({ run }) => run.model },
  { label: 'model used', only: ['report'], of: ({ run }) => run.agent?.model_used ?? 'n/a' },
  { label: 'variant', only: ['report'], of: ({ run }) => run.variant },
  { label: 'repetition', only: ['report'], of: ({ run }) => String(run.repetition) },
  { label: 'mocks', only: ['report'], of: ({ run }) => (run.live === true ? 'ignored (--live)' : null) },
  { label: 'started', only: ['report'], of: ({ run }) => run.started_at },
  { label: 'started', only: ['page'], of: ({ run }) => run.started_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') },
  { label: 'ended', only: ['report'], of: ({ run }) => run.ended_at },
  { label: 'took', only: ['terminal'], of: ({ run }) => `${durationOf(run)}, cost ${costOf(run)}${lackOfTokens(run)}` },
  { label: 'duration', only: ['report', 'page'], of: ({ run }) => durationOf(run) },
  { label: 'model', only: ['page'], of: ({ run }) => modelOf(run) },
  { label: 'agent', only: ['page'], of: ({ run }) => run.agent?.message ?? 'not started' },
  { label: 'agent cost', only: ['report', 'page'], of: ({ run }) => costOf(run) },
  { label: 'composite score', only: ['page'], of: ({ metrics }) => metrics.composite_score?.toFixed(2) ?? null },
  {
    label: 'calls of the target',
    only: ['page'],
    of: ({ metrics: { efficiency: of } }) => (of === null ? null : `${of.total_commands}, ${of.error_count} failed`),
  },
  { label: 'environment', only: ['report', 'page'], of: ({ run }) => `${run.environment}${enclosure(run)}` },
  { label: 'host', of: ({ run }) => run.host?.name ?? null },
  { label: 'again', only: ['terminal'], of: ({ run }) => runAgainText(run.lost_hosts) },
  { label: 'tokens', only: ['terminal'], of: ({ run: { agent } }) => agent && tokens(agent) },
  { label: 'tokens', only: ['report'], of: ({ run: { agent } }) => (agent && tokens(agent)) ?? 'n/a' },
  { label: 'first request', only: ['report'], of: ({ run }) => firstRequest(run) },
  { label: 'skills', only: ['terminal'], of: ({ actionLog }) => actionLog && skillsText(actionLog.use) },
  { label: 'MCP', only: ['terminal'], of: ({ actionLog }) => actionLog && mcpText(actionLog.use) },
  { label: 'ended', only: ['terminal'], of: ({ run }) => endOf(run) },
  { label: 'run', only: ['report', 'page'], of: ({ run }) => run.run_id },
  { label: 'sweep', only: ['report'], of: ({ run }) => run.sweep },
  { label: 'cell', only: ['report'], of: ({ run }) => run.cell },
  { label: 'workflow', only: ['report'], of: ({ run }) => run.workflow_id },
];

/** The facts of a run that are shown at a place. Values are foreign text. */
export const runFacts = (place: Place, shown: Shown): [label: string, value: string][] =>
  FACTS.filter(({ only }) => only?.includes(place) ?? true).flatMap(({ label, of }): [string, string][] => {
    const value = of(shown);
    return value === null ? [] : [[label, value]];
  });

const modelOf = ({ agent, model }: RunRecord): string => agent?.model_used ?? model;
const durationOf = ({ duration_secs: seconds }: RunRecord): string => formatDuration(seconds * 1000);
const costOf = ({ agent }: RunRecord): string => formatKnownCost(agent?.cost_usd ?? null, agent?.cost_usd_at_least);

function enclosure({ sandboxed, sandbox }: RunRecord): string {
  if (!sandboxed) return ', unsandboxed';
  return sandbox?.network === 'shared' ? ', network shared' : '';
}

const lackOfTokens = ({ agent }: RunRecord): string => (agent !== null && tokens(agent) === null ? ', tokens n/a' : '');

/** Formats tokens: "input 1,200, output 350, reasoning n/a, ...". An unknown count is not 0. */
function tokens(agent: AgentRecord): string | null {
  const { usage, atLeast } = shownTokens(agent);
  const { input, output, reasoning, cache_read, cache_write } = usage;
  const parts: [number | null, string][] = [
    [input, 'input'],
    [output, 'output'],
    [reasoning, 'reasoning'],
    [cache_read, 'cache read'],
    [cache_write, 'cache write'],
  ];
  if (parts.every(([count]) => count === null)) return null;
  const counts = parts.map(([count, word]) => `${word} ${count?.toLocaleString('en') ?? 'n/a'}`).join(', ');
  return `${atLeast ? 'at least ' : ''}${counts}`;
}

/** The size of the context before the first turn. Agents that send no requests of known size have none. */
function firstRequest({ agent }: RunRecord): string | null {
  const { first_request: first } = agent ?? {};
  if (first === undefined) return null;
  return first.tokens === null
    ? `unknown: ${first.unknown ?? 'the agent does not say'}`
    : `${first.tokens.toLocaleString('en')} tokens`;
}

function endOf({ agent, scenario }: RunRecord): string | null {
  if (agent !== null) return agent.completed ? null : agent.message;
  return scenario.prompt === null ? 'no agent took part' : 'the agent was not started';
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
