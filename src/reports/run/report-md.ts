import { beginningOf, counted, formatDuration, formatKnownCost } from '#lib';
import {
  type ActionLog,
  type AgentRecord,
  commandEnd,
  type CommandRecord,
  type ConversationRecord,
  forgeableNotes,
  type Metrics,
  type MockedCalls,
  mockedCallText,
  runAgainText,
  type RunRecord,
} from '#model';
import { optionalArtifacts } from './evaluation-md.js';
import { blocks, code, fence, heading, inline, link, list, table } from '../blocks/markdown.js';
import { judgeSection } from './judge-md.js';
import { REGRESSIONS } from '../sweep/regressions.js';
import { actionsSection } from './actions.js';
import { runFacts } from './run-facts.js';

/**
 * Renders report.md: what was asked, what was run and what was found, for a person who decides whether to trust the
 * result. Everything must be redacted already: escaping would hide parts of a secret from a later search. `actionLog`
 * is what the agent did; null: it left no events.
 */
export function renderReport(run: RunRecord, metrics: Metrics, actionLog: ActionLog | null): string {
  const again = runAgainText(run.lost_hosts);
  return blocks([
    heading(1, `${run.outcome}: ${inline(run.scenario.name)}`),
    `**${inline(run.message) || 'no message'}**`,
    run.scenario.description.trim() === '' ? null : inline(run.scenario.description),
    facts({ run, metrics, actionLog }),
    again === null ? null : `${inline(again)}.`,
    run.warnings.length === 0 ? null : `${heading(2, 'Warnings')}\n\n${list(run.warnings.map(inline))}`,
    run.regressions.length === 0 ? null : regressions(run),
    ...(run.scenario.prompt === null ? [] : [heading(2, 'Prompt'), fence(run.scenario.prompt)]),
    ...(run.target === null ? [] : [heading(2, 'Target'), target(run.target)]),
    heading(2, 'Setup'),
    commands(run.setup, 'No setup commands were run.'),
    ...(run.context.length === 0 ? [] : [heading(2, 'Context'), commands(run.context, '')]),
    ...(run.scenario.prompt === null ? [] : [heading(2, 'Agent'), agentSection(run)]),
    ...(actionLog === null ? [] : [heading(2, 'What the agent did'), actionsSection(actionLog, metrics)]),
    ...(run.conversation === undefined ? [] : [heading(2, 'Conversation'), conversationSection(run.conversation)]),
    heading(2, 'Gates'),
    gates(metrics),
    heading(2, 'Evaluators'),
    evaluators(metrics),
    heading(2, 'Judge'),
    judgeSection(run, metrics),
    ...(run.asked === undefined ? [] : [heading(2, 'Questions to models'), modelAnswersSection(run.asked)]),
    heading(2, 'Post scripts'),
    commands(run.post_scripts, 'No post scripts were run.'),
    ...(run.mocks === undefined ? [] : [heading(2, 'Mocks'), mocks(run.mocks)]),
    heading(2, 'Steps'),
    steps(run),
    heading(2, 'Artifacts'),
    artifacts(run),
  ]);
}

function regressions({ regressions: found }: RunRecord): string {
  const { since = '', runs = 1 } = found[0] ?? {};
  const others = runs === 1 ? '' : ` and ${runs - 1} other run${runs === 2 ? '' : 's'} of its sweep`;
  const messages = list(found.map(({ message }) => inline(message)));
  return `${heading(2, REGRESSIONS)}\n\nCompared with ${code(since)}${others}:\n\n${messages}`;
}

const facts = (shown: Parameters<typeof runFacts>[1]): string =>
  table(
    ['Fact', 'Value'],
    runFacts('report', shown).map(([label, value]) => [label.replace(/^\w/, (c) => c.toUpperCase()), inline(value)]),
  );

function target(target: NonNullable<RunRecord['target']>): string {
  const resolved = target.resolved === null ? 'could not be resolved' : `resolved to ${code(target.resolved)}`;
  const health = target.health_check;
  return blocks([
    `Binary ${code(target.binary)}: ${resolved}.`,
    health === null
      ? 'No health check was run.'
      : `Health check ${code(health.command)}: ${commandEnd(health)}, ${formatDuration(health.duration_ms)}.`,
    health === null || succeeded(health) ? null : output(health),
  ]).trimEnd();
}

function agentSection({ agent, message }: RunRecord): string {
  if (agent === null) return `The agent was not started: ${inline(message)}`;
  const facts = [
    `How it ended: ${agent.ending} (${agent.completed ? 'completed' : 'not completed'}), ${agentExit(agent)}`,
    `Message: ${inline(agent.message)}`,
    `Duration: ${formatDuration(agent.duration_ms)}`,
    `Started: ${agent.starts === 1 ? 'once' : `${agent.starts} times`}`,
    `Session: ${known(agent.session_id)}`,
    `Containment: ${known(agent.containment)}`,
    ...(agent.login ? ["Login: the user's own, no key"] : []),
    `Output: ${agent.output_bytes} bytes`,
  ];
  if (agent.history.length === 0) return list(facts);
  return `${list(facts)}\n\nAttempts:\n\n${list(agent.history.map(inline))}`;
}

function gates(metrics: Metrics): string {
  if (metrics.gates_total === 0) return 'The scenario has no gates.';
  if (metrics.details.length === 0) return 'No gate was checked.';
  const rows = metrics.details.map((gate) => [
    String(gate.index + 1),
    inline(gate.gate_type),
    inline(gate.name ?? gate.subject),
    gate.status === 'pass' ? 'pass' : `**${gate.status}**`,
    inline(gate.message),
    formatDuration(gate.duration_ms),
  ]);
  const counted = `${metrics.gates_passed} of ${metrics.gates_total} gates passed.`;
  const rated = table(['#', 'Gate', 'Subject', 'Status', 'Message', 'Duration'], rows);
  return [`${counted}\n\n${rated}`, ...forgeableNotes(metrics).map(inline)].join('\n\n');
}

function evaluators({ evaluator_results: results }: Metrics): string {
  if (results.length === 0) return 'No evaluators were run.';
  const rows = results.map(({ name, score, summary, error }) => [
    inline(name),
    score === null ? 'n/a' : String(score),
    inline(error === null ? (summary ?? '') : `evaluator error: ${error}`),
  ]);
  return table(['Evaluator', 'Score', 'Summary'], rows);
}

function steps(run: RunRecord): string {
  if (run.steps.length === 0) return 'No step was recorded.';
  const rows = run.steps.map((step) => [
    inline(step.name),
    step.status === 'not_performed' ? 'not performed' : step.status,
    step.duration_ms === null ? 'n/a' : formatDuration(step.duration_ms),
    String(step.attempts),
    inline(step.note ?? (step.status === 'done' ? '' : 'no reason was recorded')),
  ]);
  return table(['Step', 'Status', 'Duration', 'Attempts', 'Note'], rows);
}

function mocks({ by_mock, unmatched, more }: MockedCalls): string {
  const rows = by_mock.map(({ command, args, calls }, index) => [
    String(index + 1),
    inline(mockedCallText(command, args)),
    String(calls.length),
    String(calls.filter(({ failed_by_chance }) => failed_by_chance).length),
  ]);
  return [
    table(['#', 'Mock', 'Calls', 'Failed by chance'], rows),
    ...(unmatched.length === 0
      ? []
      : [
          'Calls that no mock answered:',
          list(unmatched.map(({ command, args, step }) => `${inline(step)}: ${code(mockedCallText(command, args))}`)),
        ]),
    ...(more ? ['Only the first 1000 calls were recorded here.'] : []),
  ].join('\n\n');
}

function commands(records: readonly CommandRecord[], none: string): string {
  if (records.length === 0) return none;
  const items = records.map(
    (record, at) =>
      `${at + 1}. ${succeeded(record) ? '' : '**Warning, failed:** '}${code(record.command)}: ${commandEnd(record)}, ${formatDuration(record.duration_ms)}`,
  );
  const outputs = records.flatMap((record, at) =>
    succeeded(record) ? [] : [`Output of number ${at + 1}:`, output(record)],
  );
  return [items.join('\n'), ...outputs].join('\n\n');
}

function output({ stdout, stderr }: CommandRecord): string {
  const text = [stdout, stderr].filter((part) => part.trim() !== '').join('\n');
  return text === '' ? 'No output.' : fence(text);
}

function artifacts(run: RunRecord): string {
  const { transcripts, fixture } = optionalArtifacts(run);
  return list([
    ...(fixture ? [`${link('fixture/')}: the workspace at the end of the run`] : []),
    ...(transcripts
      ? [
          `${link('artifacts/transcript.human.txt')}: what the agent said and did, as text`,
          `${link('artifacts/transcript.raw.txt')}: what the agent printed`,
          `${link('artifacts/events.jsonl')}: what the agent said and did, as events`,
        ]
      : []),
    `${link('artifacts/run.json')}: this report as data`,
    ...(run.judge?.artifacts ?? []).map(
      (path) => `${link(path)}: ${path.endsWith('.md') ? 'what the judge was asked' : 'what it answered'}`,
    ),
    `${link('metrics.json')}: gates, scores and efficiency`,
    `${link('evaluation.md')}: judgment and human review`,
  ]);
}

const succeeded = (record: CommandRecord): boolean => record.exit_code === 0 && !record.timed_out;
const known = (text: string | null | undefined): string => (text == null ? 'n/a' : inline(text));
function agentExit({ exit_code: exit }: AgentRecord): string {
  return exit === null ? 'no exit code' : `exit ${exit}`;
}

/** In characters. The transcripts have the whole messages. */
const MESSAGE_LENGTH = 500;

/** Shows the messages turn by turn, and why conversations with a simulated user ended. */
export function conversationSection({ turns, ended }: ConversationRecord): string {
  const shown = (text: string): string => inline(beginningOf(text.trim(), MESSAGE_LENGTH));
  return blocks([
    table(
      ['Turn', 'User', 'Agent'],
      turns.map(({ number, user, agent }) => [
        String(number),
        shown(user),
        agent === null ? 'said nothing' : shown(agent),
      ]),
    ),
    ended.length === 0
      ? null
      : list(ended.map(({ turn, reason }) => `The conversation ended after turn ${turn}: ${inline(reason)}`)),
  ]).trimEnd();
}

/** The answers of models for gates and for the simulated user, and their cost. */
export function modelAnswersSection({ model, answers, ...cost }: NonNullable<RunRecord['asked']>): string {
  const price = formatKnownCost(cost.cost_usd, cost.cost_usd_at_least);
  return `${inline(model)} gave ${counted(answers, 'answer')}, cost ${price}. They are in artifacts/asked/.`;
}
