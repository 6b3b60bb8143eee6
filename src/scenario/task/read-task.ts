import { dirname, join } from 'node:path';
import { check, type Path, type ProblemAt, type Source } from '#input';
import { defined } from '#lib';
import { DEFAULT_VARIANT } from '#model';
import { BUILD_SECS, LONGEST_BUILD_SECS } from '../environment.js';
import { readToml } from '../load-toml.js';
import type { LookBeside, ScenarioReader } from '../reader.js';
import type { Scenario } from '../scenario.js';
import {
  fileProblems,
  instructionIn,
  isVerifiedApart,
  networkOf,
  partsOf,
  refusalsIn,
  sourceOf,
  verifierNetworkOf,
} from './refusals.js';
import { folderName } from './task-name.js';
import { TaskFile } from './task-file.js';
import { withoutUnknownKeys } from './unknown-keys.js';

/** The time that an agent may work if the task sets no limit. */
const NO_LIMIT_SECS = 24 * 3600;

type VerifierGate = Extract<Scenario['checks']['gates'][number], { type: 'verifier' }>;

/** The gate of a verifier: that of the task, or of a step. */
const verifierOf = (
  { timeout_sec, user }: TaskFile['verifier'],
  env: VerifierGate['env'],
  tests: string[],
): VerifierGate => ({
  type: 'verifier',
  timeout_secs: timeout_sec,
  tests,
  script: 'test.sh',
  env,
  pass_reward: 1,
  ...defined({ user }),
});

/** The steps of a task, and the gates after all of them. */
function stepsOf(file: TaskFile, look: LookBeside): Pick<Scenario, 'steps'> & Pick<Scenario['checks'], 'gates'> {
  const { agent, verifier, steps, multi_step_reward_strategy: strategy } = file;
  const ownLimit = agent.timeout_sec ?? NO_LIMIT_SECS;
  if (steps.length === 0)
    return {
      steps: [{ kind: 'agent', prompt: instructionIn(look, ''), timeout_secs: ownLimit }],
      gates: [verifierOf(verifier, verifier.env, ['tests'])],
    };
  return {
    steps: partsOf(file).map(({ folder, tests }, at): Scenario['steps'][number] => {
      const step = steps[at];
      if (step === undefined) throw new RangeError(`no step ${at}`);
      const gate = verifierOf(
        { ...verifier, ...step.verifier },
        { ...verifier.env, ...step.verifier.env },
        tests.filter((one) => look(one)?.kind === 'folder'),
      );
      return {
        kind: 'agent',
        name: step.name,
        prompt: instructionIn(look, folder),
        timeout_secs: step.agent.timeout_sec ?? ownLimit,
        anew: {
          folder: folder.replace(/\/$/, ''),
          ...defined({ healthcheck: step.healthcheck }),
        },
        // Without a reward, nothing is known of what later steps begin with.
        gates: [{ ...gate, ...leastOf(step), stops: true }],
      };
    }),
    gates: [
      {
        type: 'step_rewards',
        of: strategy === 'final' ? 'last' : 'mean',
        pass_reward: 1,
        timeout_secs: STEP_REWARDS_SECS,
      },
    ],
  };
}

const STEP_REWARDS_SECS = 30;

/** The least rewards after a step. Without any, every reward passes. */
const leastOf = ({
  min_reward: least,
}: TaskFile['steps'][number]): Pick<VerifierGate, 'pass_reward' | 'min_rewards'> =>
  typeof least === 'object' ? { pass_reward: null, min_rewards: least } : { pass_reward: least ?? null };

/** Converts a task to a scenario. `folder`: the name of its folder. */
function toScenario(file: TaskFile, folder: string, look: LookBeside): Scenario {
  const { task, agent, solution, environment, verifier } = file;
  const { steps, gates } = stepsOf(file, look);
  const { docker_image: image, build_timeout_sec: limit, cpus, healthcheck, workdir } = environment;
  const memory = environment.memory_mb ?? environment.memory;
  return {
    name: task.name ?? folder,
    description: task.description,
    tier: 0,
    tags: task.keywords,
    inputs: { fixture: null, files: {}, commands: [] },
    target: null,
    environment: {
      type: 'docker',
      command: 'docker',
      ...(image === undefined ? { build: 'environment' } : { image }),
      ...(image !== undefined || limit === BUILD_SECS
        ? {}
        : { build_timeout_secs: Math.min(limit, LONGEST_BUILD_SECS) }),
      ...defined({ cpus, memory_mb: memory }),
      ...(networkOf(file) === 'public' ? {} : { network: 'none' as const }),
    },
    task: {
      env: environment.env,
      solution_env: solution.env,
      ...defined({ workdir, user: agent.user, healthcheck }),
      ...(isVerifiedApart(verifier)
        ? {
            verifier_apart: {
              artifacts: file.artifacts.map(sourceOf),
              ...(verifierNetworkOf(file) === networkOf(file)
                ? {}
                : { network: verifierNetworkOf(file) === 'public' ? ('public' as const) : ('none' as const) }),
              ...(look('tests/Dockerfile')?.kind === 'file' ? { builds: true as const } : {}),
            },
          }
        : {}),
      ...defined({ skills_dir: environment.skills_dir }),
      ...(environment.mcp_servers.length === 0
        ? {}
        : {
            // `refusalsIn` has refused those without a command.
            mcp_servers: environment.mcp_servers.map(({ name, command = '', args }) => ({ name, command, args })),
          }),
    },
    steps,
    checks: { folder: '.', gates, evaluators: [] },
    judgment: { gates: 'all_pass' },
    agents: [],
    repeat: 1,
    cost: { cache: true },
  };
}

/** Maps a path in the scenario to its path in the file. `isInSteps`: whether the task has steps. */
function filePathOf(path: Path, isInSteps: boolean): Path {
  const [first, second, third, ...rest] = path;
  switch (first) {
    case 'environment':
      return second === 'build' || second === 'image'
        ? ['environment', 'docker_image']
        : ['environment', ...(second === undefined ? [] : [OF_ENVIRONMENT[String(second)] ?? second])];
    case 'task':
      return OF_TASK[String(second)]?.(third === undefined ? [] : [third]) ?? ['environment'];
    case 'steps':
      return isInSteps && second !== undefined
        ? ['steps', second, ...(third === 'gates' && rest[1] === 'env' ? ['verifier', ...rest.slice(1)] : [])]
        : ['agent', ...(third === 'timeout_secs' ? ['timeout_sec'] : [])];
    case 'checks':
      return isInSteps ? ['steps'] : ['verifier', ...(rest[0] === 'env' ? rest : [])];
    case 'name':
      return ['task', 'name'];
    case undefined:
    default:
      return path;
  }
}

const OF_ENVIRONMENT: Readonly<Record<string, string>> = {
  build_timeout_secs: 'build_timeout_sec',
  network: 'network_mode',
};
const OF_TASK: Readonly<Record<string, (rest: Path) => Path>> = {
  env: (rest) => ['environment', 'env', ...rest],
  solution_env: (rest) => ['solution', 'env', ...rest],
  workdir: () => ['environment', 'workdir'],
  user: () => ['agent', 'user'],
  healthcheck: () => ['environment', 'healthcheck'],
  skills_dir: () => ['environment', 'skills_dir'],
  mcp_servers: (rest) => ['environment', 'mcp_servers', ...rest],
};

/** Keys that change nothing here, with the reason. */
const WITHOUT_EFFECT: readonly (readonly [Path, (file: TaskFile) => boolean, string])[] = [
  [
    ['artifacts'],
    ({ artifacts, verifier }) => artifacts.length > 0 && !isVerifiedApart(verifier),
    'artifacts are not collected, except for WORKDIR',
  ],
  [
    ['environment', 'storage_mb'],
    ({ environment: { storage_mb } }) => storage_mb !== undefined,
    'the disk of containers is not limited',
  ],
  [
    ['environment', 'storage'],
    ({ environment: { storage } }) => storage !== undefined,
    'the disk of containers is not limited',
  ],
  [
    ['environment', 'build_timeout_sec'],
    ({ environment }) => environment.build_timeout_sec > LONGEST_BUILD_SECS,
    `a build may take at most ${LONGEST_BUILD_SECS} s`,
  ],
];

const NOTHING: LookBeside = () => null;

/** Reads a task folder by its file `task.toml`. */
export const readTask: ScenarioReader = (name, text, look = NOTHING) => {
  const read = readToml(name, text);
  if (!read.ok) return read;
  const { known, unknown } = withoutUnknownKeys(TaskFile, read.source.value);
  const source: Source = { ...read.source, value: known };
  const loaded = check(TaskFile, source);
  if (!loaded.ok) return loaded;
  const { value: file, problemAt: at } = loaded;
  const inFolder = (path: string, message: string) => ({
    file: join(dirname(name), path),
    line: 1,
    column: 1,
    path: '',
    message,
  });
  const problems = [
    ...refusalsIn(file).map(({ path, message }) => at(path, message, 'key')),
    ...fileProblems(file, look).map(({ file: path, message }) => inFolder(path, message)),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const scenario = toScenario(file, folderName(name), look);
  const problemAt: ProblemAt = (path, ...what) => at(filePathOf(path, file.steps.length > 0), ...what);
  const warnings = [
    ...unknown.map((path) => at(path, `unknown key '${String(path.at(-1))}', which is ignored`, 'key')),
    ...WITHOUT_EFFECT.flatMap(([path, applies, why]) => (applies(file) ? [at(path, why, 'key')] : [])),
  ];
  return {
    ok: true,
    value: {
      scenario,
      variants: [{ variant: DEFAULT_VARIANT, scenario, env: {}, targetBinary: null, problemAt }],
      warnings,
    },
    problemAt,
  };
};
