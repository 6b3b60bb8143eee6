import { knownAgents } from '#agents';
import { knownProviders } from '#host';
import type { Path } from '#input';
import { parseJudgeName, type Problem, suggest, UsageError } from '#lib';
import { type Config, type EffectiveScenario, findModelGate, type JudgeSettings } from '#scenario';
import type { JudgeFlags } from './draft.js';
import type { Project } from './project.js';
import { agentModelProblem, agentProblem } from './agent-problems.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/**
 * Returns the settings of a scenario's judge. Null if it has no judge, or `--no-judge` was given.
 *
 * @throws UsageError if the judge has no model, or one that cannot be used
 */
export function chooseJudge(project: Project, selected: SelectedScenario, flags: JudgeFlags): JudgeSettings | null {
  const { scenario, rubric } = selected;
  const { judge } = scenario.judgment;
  if (judge?.enabled !== true || rubric === null || !flags.judge) return null;
  const { rubric: rubric_file, pass_threshold, always, timeout_secs, votes } = judge;
  const model = modelOf(project, selected, flags, JUDGE);
  return { model, rubric, rubric_file, pass_threshold, always, timeout_secs, votes };
}

/**
 * Returns the model that gates and other parts of a scenario ask: that of the judge. Undefined if none of them asks.
 *
 * @throws UsageError if there is no such model or it cannot be used, or if `--no-judge` was given
 */
export function chooseGateModel(
  project: Project,
  selected: SelectedScenario,
  { scenario, problemAt }: Pick<SelectedVariant, 'scenario' | 'problemAt'>,
  flags: JudgeFlags,
): EffectiveScenario['asked'] {
  const path = findModelGate(scenario);
  if (path === null) return undefined;
  if (flags.judge) return { model: modelOf(project, { ...selected, problemAt }, flags, { path, isJudge: false }) };
  const message = 'this asks the model of the judge, so --no-judge cannot be used; remove it, or this part';
  const { file, text } = selected;
  throw new UsageError('judge_model', message, [problemAt(path, message)], new Map([[file, text]]));
}

/** Finds problems with the judge model that the scenario or the config names. */
export function judgeProblems(project: Project, selected: SelectedScenario): Problem[] {
  const { judge } = selected.scenario.judgment;
  const named = judge?.model ?? project.config.judge?.model;
  const isAsked = judge?.enabled === true || selected.variants.some(({ scenario }) => findModelGate(scenario) !== null);
  if (!isAsked || named === undefined) return [];
  const message = modelProblem(project, named);
  return message === null ? [] : placeOf(project, selected, message).problems;
}

/** The part of the scenario that asks the model. */
interface Asking {
  path: Path;
  isJudge: boolean;
}
const JUDGE: Asking = { path: ['judgment', 'judge'], isJudge: true };

function modelOf(
  project: Project,
  selected: SelectedScenario,
  { judgeModel }: JudgeFlags,
  { path, isJudge }: Asking,
): string {
  const { scenario, file, text, problemAt } = selected;
  if (judgeModel !== null) {
    const message = modelProblem(project, judgeModel);
    if (message !== null) throw new UsageError('judge_model', `--judge-model or LLM_TOOL_TEST_JUDGE: ${message}`);
    return judgeModel;
  }
  const model = scenario.judgment.judge?.model ?? project.config.judge?.model;
  if (model === undefined) {
    const message = noModel(project.config, isJudge);
    const problems = [problemAt(path, message, 'key')];
    throw new UsageError('judge_model', `${scenario.name}: ${message}`, problems, new Map([[file, text]]));
  }
  const message = modelProblem(project, model);
  if (message === null) return model;
  const { problems, texts } = placeOf(project, selected, message);
  throw new UsageError('judge_model', message, problems, texts);
}

const noModel = (config: Config, isJudge: boolean): string =>
  isJudge
    ? `the judge has no model; set one here (model: provider/model or agent:<agent>/<model>), in [judge] in the config file, or with --judge-model or LLM_TOOL_TEST_JUDGE; or use --no-judge. ${known(config)}`
    : `this asks the model of the judge, and none is set; set one in [judge] in the config file (model = "provider/model" or "agent:<agent>/<model>"), or with --judge-model or LLM_TOOL_TEST_JUDGE. ${known(config)}`;

function modelProblem({ config }: Project, text: string): string | null {
  const name = parseJudgeName(text);
  if (!name.ok) return name.message;
  if (name.by === 'agent') {
    const agents = knownAgents(config.agents);
    const agent = agents.get(name.agent);
    if (agent === undefined) return agentProblem(name.agent, agents);
    if (agent.isLoop === true) return `the agent ${agent.name} cannot judge; name its model alone: '${name.model}'`;
    return agentModelProblem(config, agent, name.model)?.message ?? null;
  }
  const providers = knownProviders(config.providers);
  if (providers.has(name.provider)) return null;
  const near = suggest(name.provider, [...providers.keys()]);
  return `unknown provider '${name.provider}'${near === null ? '.' : `; did you mean '${near}'?`} ${known(config)}`;
}

const known = ({ providers }: Config): string =>
  `Known providers: ${[...knownProviders(providers).keys()].join(', ')}; define others in [providers.NAME] in llm-tool-test-config.toml`;

/** Reports the problem where the model is set: in the scenario or, if it names none, in the config. */
function placeOf(
  { configSource }: Project,
  { scenario, file, text, problemAt }: SelectedScenario,
  message: string,
): { problems: Problem[]; texts: Map<string, string> } {
  if (scenario.judgment.judge?.model !== undefined || configSource === null) {
    const problems = [problemAt(['judgment', 'judge', 'model'], message)];
    return { problems, texts: new Map([[file, text]]) };
  }
  const problems = [configSource.problemAt(['judge', 'model'], message)];
  return { problems, texts: new Map([[configSource.file, configSource.text]]) };
}
