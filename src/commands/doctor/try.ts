import { type Tried, tryAgent } from '#activities';
import { knownAgents } from '#agents';
import { displayPath, ownCommand, packageFile } from '#host';
import { beginningOf, formatDuration } from '#lib';
import { outputWarnings, type TokenUsage } from '#model';
import { agentSettings, checkAgent, checkAgentConsent, checkModel, openProject } from '#planning';
import type { DoctorRow } from '#reports';

const TIMEOUT_SECS = 120;
const MAX_ANSWER = 200;
/** The guide to writing an agent that prints events. It is part of the package. */
const GUIDE = 'specs/how-to/jsonl-agents.md';

/**
 * `doctor --try`: checks that an agent really works here, with a trivial prompt.
 *
 * @throws UsageError if the agent or model cannot be run, or may spend money and LLM_TOOL_TEST_ENABLED=1 is not set
 */
export async function tryAgentCheck(options: { try: string; model?: string; results?: string }): Promise<DoctorRow> {
  const project = openProject(options.results);
  const known = knownAgents(project.config.agents);
  checkAgent(options.try, known);
  checkAgentConsent(project.config, options.try);
  const agent = known.get(options.try);
  const model = options.model ?? agent?.models[0] ?? 'default';
  checkModel(project, agent, model);
  const who = { agent: options.try, model };
  const name = `try ${options.try}`;
  const { providers, prices } = project.config;
  const plan = { agents: agentSettings(project, [options.try]), providers, prices };
  const startedAt = performance.now();
  const trial = await withSignals((signal) => tryAgent(plan, who, TIMEOUT_SECS, signal));
  if (trial.unfit !== null) return { name, status: 'problem', message: trial.unfit, detail: who };
  const { tried } = trial;
  const duration_ms = Math.round(performance.now() - startedAt);
  const { output_problems } = tried;
  const unfit = output_problems === undefined ? [] : outputWarnings(output_problems);
  // A user cannot change what a built-in agent prints, but should know that some of its numbers are unknown.
  const isOwn = plan.agents[options.try]?.output === 'jsonl';
  const status = tried.ending !== 'done' || (isOwn && unfit.length > 0) ? 'problem' : 'ok';
  return {
    name,
    status: status === 'ok' && unfit.length > 0 ? 'warning' : status,
    message: `${tried.message}; ${[
      answerOf(tried),
      `model ${tried.model_used ?? model}`,
      tokensOf(tried.usage),
      tried.cost_usd === null ? 'cost unknown' : `$${tried.cost_usd.toFixed(4)}`,
      formatDuration(duration_ms),
    ].join(', ')}${problemsText(unfit)}`,
    ...(unfit.length === 0 || !isOwn
      ? {}
      : {
          remedy: `print one event per line, and everything else to stderr; ${ownCommand('schema --events')} prints the form of events, and ${displayPath(packageFile(GUIDE))} explains it`,
        }),
    detail: { ...who, ...tried, answer: firstLine(tried.answer), duration_ms },
  };
}

const NAMED = 2;

/** The first lines that do not fit, and how many there are besides. `detail` has more of them. */
function problemsText(warnings: readonly string[]): string {
  const more = warnings.length - NAMED;
  return [...warnings.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])]
    .map((warning) => `; ${warning}`)
    .join('');
}

const firstLine = (text: string): string => beginningOf(text.trim().split('\n')[0] ?? '', MAX_ANSWER);

function answerOf({ answer }: Tried): string {
  const line = firstLine(answer);
  return line === '' ? 'no answer' : `answered ${JSON.stringify(line)}`;
}

function tokensOf(usage: TokenUsage): string {
  const { input, output } = usage;
  return input === null && output === null ? 'tokens unknown' : `${input ?? 'n/a'} tokens in, ${output ?? 'n/a'} out`;
}

/** Calls `work` with a signal that aborts when the command is interrupted, so that it can stop the agent and report. */
async function withSignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
