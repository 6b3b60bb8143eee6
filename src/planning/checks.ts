import { dirname } from 'node:path';
import { adaptersWith, type Agent, agentOfCell, knownAgents } from '#agents';
import { apartFrom } from '#environments';
import { isBinary, isMirror, knownProviders } from '#host';
import { InfrastructureError, parseJudgeName, UsageError } from '#lib';
import { type Config, judgeModelOf, type UnstoredScenario } from '#scenario';
import { readText } from './file-checks.js';
import { moduleProblem, runtimeProblems } from './find-runtime.js';
import { misfits } from './agent-problems.js';
import { agentsFitImages } from './agents-in-images.js';
import { checkWritable } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';
import { variablesAreSet } from './unset-variables.js';

/** Checks a part of a sweep that is to start. @throws UsageError or InfrastructureError with the first problem */
type Check = (sweep: ResolvedSweep) => void | Promise<void>;

/** Refuses a sweep that cannot run here. A dry run costs nothing, so it needs no consent. @throws as its checks */
export async function refuseUnready(sweep: ResolvedSweep, isDry: boolean): Promise<void> {
  // Checking old work again starts no agent.
  const startsAgents = sweep.regrade?.or_run !== false;
  const checks: readonly Check[] = [
    ...(startsAgents ? [runtimesAreThere, agentsFitScenarios, modulesAreAgents, hostsAreShared] : []),
    ...[sandboxesAreSet, targetsCanBeSent],
    ...(startsAgents && !isDry ? [agentsMayCost] : []),
    ...(isDry ? [] : [judgesMayCost]),
    ...[variablesAreSet, sandboxesWork, environmentsWork],
    ...(startsAgents ? [agentsFitImages] : []),
    ({ project }) => checkWritable(project.resultsPath),
  ];
  for (const check of checks) await check(sweep);
}

/** @throws UsageError if hosts are selected, and there are none */
function hostsAreShared({ project, on }: ResolvedSweep): void {
  if (!isMirror(project.resultsPath) && on.length > 0)
    throw new UsageError(
      'not_shared',
      '--host-labels selects hosts, but these results are not shared; see specs/how-to/many-machines.md',
    );
}

/** @throws UsageError if the config requires sandboxes, and a scenario has none */
function sandboxesAreSet({ project: { config }, scenarios }: ResolvedSweep): void {
  if (!config.require_sandbox) return;
  const without = scenarios.filter(({ effective }) => effective.scenario.environment.type === 'local');
  if (without.length === 0) return;
  const names = [...new Set(without.map(({ effective }) => effective.scenario.name))].join(', ');
  throw new UsageError(
    'sandbox_required',
    `the config file sets require_sandbox, but environment.type is local in ${names}; set it to bubblewrap, auto, docker, e2b or kubernetes`,
  );
}

/** @throws InfrastructureError if sandboxes are required, and do not work on this machine */
async function sandboxesWork({ project, scenarios }: ResolvedSweep): Promise<void> {
  if (isMirror(project.resultsPath) || !project.config.require_sandbox) return;
  if (scenarios.every(({ effective }) => apartFrom(effective.scenario.environment) !== null)) return;
  // The environments take a tenth of a second to load.
  const { chooseEnvironment } = await import('#environments');
  const { lacking, lacksNetwork } = await chooseEnvironment({ type: 'bubblewrap' });
  const missing = lacking ?? lacksNetwork;
  if (missing !== null) throw new InfrastructureError(`the config file sets require_sandbox: ${missing}`);
}

/**
 * Asks the environments that are apart from this machine whether they can be used.
 *
 * @throws UsageError at its place in the scenario file if the user must change something; InfrastructureError if what
 *   makes containers or sandboxes does not work now
 */
async function environmentsWork({
  project: { configFile, root, resultsPath },
  scenarios,
  environment: values,
}: ResolvedSweep): Promise<void> {
  if (isMirror(resultsPath)) return;
  // As in a run, which knows the project only if it has a config file.
  const folders = [configFile === null ? null : root, dirname(resultsPath)];
  const all = scenarios.map(({ effective }) => effective.scenario.environment);
  for (const wanted of new Map(all.map((one) => [JSON.stringify(one), one])).values()) {
    if (apartFrom(wanted) === null) continue;
    const { environmentProblem } = await import('#environments');
    const failure = await environmentProblem(wanted, folders, values);
    if (failure === null) continue;
    const message = `environment.type ${wanted.type}: ${failure.why}`;
    if (!failure.isFinal) throw new InfrastructureError(message);
    const key = JSON.stringify(wanted);
    const refused = scenarios.filter(({ effective }) => JSON.stringify(effective.scenario.environment) === key);
    const problems = refused.map(({ variant }) => variant.problemAt(['environment', failure.field ?? 'type'], message));
    const texts = new Map(refused.map(({ selected }) => [selected.file, selected.text]));
    throw new UsageError('sandbox_unusable', message, problems, texts);
  }
}

/** @throws UsageError if the runs take place on other hosts, and these cannot be given the target */
function targetsCanBeSent({ project, scenarios }: ResolvedSweep): void {
  if (!isMirror(project.resultsPath)) return;
  for (const { selected, variant, effective } of scenarios) {
    const why = unsentReason(effective);
    if (why === null) continue;
    const message = `the target ${effective.target_path} ${why}; put it into the fixture, or install it on the hosts and name it without a path`;
    const problems = [variant.problemAt(['target', 'binary'], message)];
    throw new UsageError('target_missing', message, problems, new Map([[selected.file, selected.text]]));
  }
}

/** Says why the target cannot be sent to the hosts, which get its program alone; null if it can, or need not. */
function unsentReason({ target_path, target_files }: UnstoredScenario): string | null {
  if (target_path === null || target_files?.length === 0) return null;
  if (target_files !== undefined) return 'has further files (target.files), but hosts receive only its program';
  return isBinary(target_path)
    ? null
    : 'is a script, which may need files beside it, but hosts receive only its program: set target.files to [] if it needs none';
}

/**
 * Looks at what an agent of ElizaOS consists of, and runs none of it.
 * @throws UsageError with the problems of scenario files
 */
function runtimesAreThere({ project, cells, scenarios }: ResolvedSweep): void {
  const known = knownAgents(project.config.agents);
  const inRuntime = new Set(
    cells.flatMap(({ agent, scenario }) => (known.get(agent)?.usesRuntime === true ? [scenario] : [])),
  );
  const selected = [...new Set(scenarios.map((one) => one.selected))].filter(({ scenario }) =>
    inRuntime.has(scenario.name),
  );
  const found = selected.flatMap(runtimeProblems);
  const problems = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  const [first] = problems;
  if (first === undefined) return;
  const texts = new Map(selected.map(({ file, text }) => [file, text]));
  throw new UsageError('scenario_invalid', first.message, problems, texts);
}

/** @throws UsageError if a scenario mocks services, or runs apart from this machine, with agents that cannot */
function agentsFitScenarios({ project, cells, scenarios }: ResolvedSweep): void {
  const known = knownAgents(project.config.agents);
  for (const { selected, variant, effective } of scenarios) {
    const agents = cells.flatMap((cell) =>
      cell.scenario === selected.scenario.name && cell.variant === variant.variant ? [cell.agent] : [],
    );
    const problems = misfits(known, agents, { ...variant, scenario: effective.scenario });
    const [first] = problems;
    if (first !== undefined)
      throw new UsageError('scenario_invalid', first.message, problems, new Map([[selected.file, selected.text]]));
  }
}

/** @throws UsageError for the first module of an agent that is none */
async function modulesAreAgents({ project: { configSource }, agents }: ResolvedSweep): Promise<void> {
  for (const [name, { module }] of Object.entries(agents)) {
    const message = module === undefined ? null : await agentModuleProblem(module);
    if (message === null) continue;
    throw new UsageError(
      'config_invalid',
      `agent ${name}: ${message}`,
      configSource === null ? [] : [configSource.problemAt(['agents', name, 'module'], message)],
      configSource === null ? new Map() : new Map([[configSource.file, configSource.text]]),
    );
  }
}

/** The reason why a module cannot be an agent; null if it can, as far as its text shows. */
async function agentModuleProblem(path: string): Promise<string | null> {
  const problem = moduleProblem(path, path);
  if (problem !== null) return problem;
  const { exportsName } = await import('./exports-name.js');
  return exportsName(readText(path) ?? '', 'createAgent')
    ? null
    : `${path} does not export createAgent; expected export function createAgent({ services, model })`;
}

/** @throws UsageError for an agent that may spend money if LLM_TOOL_TEST_ENABLED=1 is not set */
export function checkAgentConsent({ agents }: Config, name: string): void {
  const agent = agentOfCell({ agent: name }, knownAgents(agents));
  if (hasConsent() || agent?.free === true) return;
  throw notEnabled(`agent '${name}'`, 'run', orFreeAgent(name, agent));
}

/**
 * `canBeLeftOut`: whether the run can do without the judge.
 *
 * @throws UsageError for a judge that may spend money if LLM_TOOL_TEST_ENABLED=1 is not set
 */
export function checkJudgeConsent({ agents, providers }: Config, model: string, canBeLeftOut: boolean): void {
  const judge = parseJudgeName(model);
  if (hasConsent() || !judge.ok) return;
  const agent = judge.by === 'agent' ? knownAgents(agents).get(judge.agent) : undefined;
  const [who, remedy] =
    judge.by === 'agent'
      ? [agent, orFreeAgent(judge.agent, agent)]
      : [
          knownProviders(providers).get(judge.provider),
          Object.hasOwn(providers, judge.provider) ? orFree(`providers.${judge.provider}`) : '',
        ];
  if (who?.free === true) return;
  throw notEnabled(`the judge ${model}`, 'ask', `${remedy}${canBeLeftOut ? '; or use --no-judge' : ''}`);
}

const hasConsent = (): boolean => process.env['LLM_TOOL_TEST_ENABLED'] === '1';

const notEnabled = (who: string, verb: string, remedy: string): UsageError =>
  new UsageError('not_enabled', `${who} may spend money: set LLM_TOOL_TEST_ENABLED=1 to ${verb} it${remedy}`);

const orFree = (table: string): string => `, or set free = true in [${table}] if it costs nothing`;

/** Empty for most built-in agents: they cost money, and `free` cannot be set in their tables. */
const orFreeAgent = (name: string, agent: Agent | undefined): string =>
  agent?.adapter === undefined || adaptersWith('free').includes(agent.adapter) ? orFree(`agents.${name}`) : '';

function agentsMayCost({ project: { config }, cells }: ResolvedSweep): void {
  for (const name of new Set(cells.map(({ agent }) => agent))) checkAgentConsent(config, name);
}

function judgesMayCost({ project: { config }, scenarios }: ResolvedSweep): void {
  for (const { effective } of scenarios) {
    const model = judgeModelOf(effective);
    if (model !== null) checkJudgeConsent(config, model, effective.asked === undefined);
  }
}
