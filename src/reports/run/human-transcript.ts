import { assertNever, formatKnownCost, plainText } from '#lib';
import { type AgentRecord, type EventBody, type RunEvent, shownTokens } from '#model';
import { indentedOutput, type ShownLimits, promptedCommand, SHORT, shortInput, WHOLE } from './shorten.js';

/** The contents of a transcript's header. */
export interface TranscriptHead {
  scenario: string;
  agent: string;
  model: string;
  prompt: string;
  /** Usage of all starts of the run; priced by us if the agent reports no cost. */
  used: Pick<AgentRecord, 'token_usage' | 'token_usage_at_least' | 'cost_usd' | 'cost_usd_at_least'>;
}

type EventOf<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;

/** The state kept between events; it stays small, however long the run. */
interface Progress {
  attempt: number | null;
  /** Calls without a result, so that the result of a parallel call can name its call. */
  open: Map<string, string>;
  lastCall: string | null;
  ending: EventOf<'result'> | null;
  limits: ShownLimits;
}

const MAX_OPEN_CALLS = 100;
const speakers = { user: 'User', assistant: 'Assistant', system: 'System' };

const section = (title: string, text: string): string => `\n=== ${title} ===\n${plainText(text).trimEnd()}\n`;
const note = (text: string): string => `    [${text}]\n`;
const isScript = ({ type }: EventBody): boolean => type === 'setup_command' || type === 'post_script';
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

function renderCall(call: EventOf<'tool_call'>, progress: Progress): string {
  const shown =
    call.command === null
      ? `${plainText(call.name)} ${shortInput(call.input, progress.limits)}\n`
      : promptedCommand(call.command, progress.limits);
  progress.open.set(call.id, firstLine(shown));
  const oldest = progress.open.keys().next().value;
  if (progress.open.size > MAX_OPEN_CALLS && oldest !== undefined) progress.open.delete(oldest);
  progress.lastCall = call.id;
  return `\n${shown}`;
}

function renderResult(result: EventOf<'tool_result'>, progress: Progress): string {
  const call = progress.open.get(result.id);
  progress.open.delete(result.id);
  return [
    result.id === progress.lastCall || call === undefined ? '' : `\nResult of: ${call}\n`,
    indentedOutput(result.output, progress.limits),
    result.truncated ? note('the rest of the output was not kept') : '',
    result.exit_code === null ? '' : note(`exit code ${result.exit_code}`),
    result.exit_code === null && result.is_error ? note('failed') : '',
  ].join('');
}

function renderScript(title: string, script: EventOf<'setup_command' | 'post_script'>, { limits }: Progress): string {
  const end = script.exit_code === null ? 'ended by a signal' : `exit code ${script.exit_code}`;
  return [
    `\n${title}: ${promptedCommand(script.command, limits)}`,
    indentedOutput(script.stdout, limits),
    indentedOutput(script.stderr, limits),
    note(script.timed_out ? 'timed out' : end),
  ].join('');
}

function describeEnding(ending: EventOf<'result'> | null): string {
  if (ending === null) return 'Ended: unknown, the record stops here';
  const exitCode = ending.exit_code === null ? '' : ` (exit code ${ending.exit_code})`;
  return `Ended: ${plainText(ending.ending)}${exitCode}`;
}

function describeUsage(used: TranscriptHead['used']): string {
  const { usage, atLeast } = shownTokens(used);
  const counts = (['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const)
    .filter((name) => usage[name] !== null)
    .map((name) => `${usage[name] ?? 0} ${name.replace('_', ' ')}`);
  const tokens = counts.length === 0 ? 'n/a' : `${atLeast ? 'at least ' : ''}${counts.join(', ')}`;
  return `Tokens: ${tokens}\nCost: ${formatKnownCost(used.cost_usd, used.cost_usd_at_least)}`;
}

/** Renders the calls without a result, which ended with the agent. */
function renderOpen(progress: Progress): string {
  const open = [...progress.open.values()];
  progress.open.clear();
  return open.map((call) => `\nStill running when the agent ended: ${call.trimEnd()}\n`).join('');
}

function renderEvent(event: EventBody, head: TranscriptHead, progress: Progress): string {
  switch (event.type) {
    case 'session': {
      const model = event.model_used ?? head.model;
      return model === head.model ? '' : `\n[model used: ${plainText(model)}]\n`;
    }
    case 'message':
      if (event.text.trim() === '') return '';
      // Some agents repeat the prompt, which is already at the top.
      if (event.role === 'user' && event.text.trim() === head.prompt.trim()) return '';
      return section(speakers[event.role], event.text);
    case 'reasoning':
      return event.text.trim() === '' ? '' : section('Assistant, reasoning', event.text);
    case 'tool_call':
      return renderCall(event, progress);
    case 'tool_result':
      return renderResult(event, progress);
    case 'setup_command':
      return renderScript('Setup', event, progress);
    case 'post_script':
      return renderScript('Post script', event, progress);
    case 'error':
      return `\nError: ${plainText(event.message)}${event.retryable ? ' (may be retried)' : ''}\n`;
    case 'extension': {
      const code = event.exit_code === null ? '' : `: exit code ${event.exit_code}`;
      return `\n[${event.kind} ${plainText(event.name)}${code}]\n`;
    }
    case 'mcp_problem':
      return `\nMCP server ${event.server}: ${plainText(event.message)}\n`;
    case 'mcp_call': // the agent's own call of the tool is shown
    case 'mcp_tools':
    case 'usage':
    case 'unknown':
      return '';
    case 'result':
      progress.ending = event;
      return renderOpen(progress);
    default:
      return assertNever(event);
  }
}

/**
 * Renders the beginning of a later start of the agent: how the previous start ended, and a separator. A start that
 * begins with a message of the user is the next turn of the conversation, which needs neither.
 */
function renderAttempt(event: RunEvent, progress: Progress): string {
  const { attempt } = event;
  const changed = progress.attempt !== null && progress.attempt !== attempt;
  progress.attempt = attempt;
  if (!changed) return '';
  if (event.type === 'message' && event.role === 'user') return renderOpen(progress);
  const open = renderOpen(progress);
  const ended = progress.ending === null ? '' : `\n${describeEnding(progress.ending)}\n`;
  progress.ending = null;
  return `${open}${ended}\n##### Attempt ${attempt} #####\n`;
}

/**
 * Renders a run as a conversation, in pieces of text: the prompt, what the agent said and thought, commands with the
 * beginning of their output (or the `whole` of it) and their exit codes, scripts, and finally the usage and how the
 * agent ended. All terminal sequences are removed.
 */
export function* renderHumanTranscript(
  head: TranscriptHead,
  events: Iterable<RunEvent>,
  { whole = false } = {},
): Generator<string> {
  const progress: Progress = {
    attempt: null,
    open: new Map(),
    lastCall: null,
    ending: null,
    limits: whole ? WHOLE : SHORT,
  };
  yield plainText(`Scenario: ${head.scenario}\nAgent: ${head.agent}\nModel: ${head.model}\n`);
  yield section('Prompt', head.prompt);
  for (const event of events) {
    const attempt = isScript(event) ? '' : renderAttempt(event, progress);
    const piece = attempt + renderEvent(event, head, progress);
    if (piece !== '') yield piece;
  }
  yield renderOpen(progress);
  yield section('End', `${describeUsage(head.used)}\n${describeEnding(progress.ending)}`);
}
