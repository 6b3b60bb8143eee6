import { dirname, join } from 'node:path';
import { check, type Path, type ProblemAt, type Source } from '#input';
import { DEFAULT_VARIANT } from '#model';
import { BUILD_SECS, LONGEST_BUILD_SECS } from '../environment.js';
import { readToml } from '../load-toml.js';
import type { LookBeside, ScenarioReader } from '../reader.js';
import type { Scenario } from '../scenario.js';
import { fileProblems, networkOf, refusalsIn } from './refusals.js';
import { folderName } from './task-name.js';
import { TaskFile } from './task-file.js';
import { withoutUnknownKeys } from './unknown-keys.js';

/** The time that an agent may work if the task sets no limit. */
const NO_LIMIT_SECS = 24 * 3600;

const CANARY = /^(<!--.*canary.*-->|#.*canary.*)$/i;

/** The text of an instruction, without lines at its beginning by which copies of it are found. */
export function instructionOf(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!CANARY.test(lines[0]?.trim() ?? '')) return text;
  const from = lines.findIndex((line) => line.trim() !== '' && !CANARY.test(line.trim()));
  return from === -1 ? '' : lines.slice(from).join('\n');
}

/** Converts a task to a scenario. `folder`: the name of its folder. */
function toScenario(file: TaskFile, folder: string, prompt: string): Scenario {
  const { task, agent, verifier, solution, environment } = file;
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
      ...(cpus === undefined ? {} : { cpus }),
      ...(memory === undefined ? {} : { memory_mb: memory }),
      ...(networkOf(file) === 'public' ? {} : { network: 'none' as const }),
    },
    task: {
      env: environment.env,
      solution_env: solution.env,
      ...(workdir === undefined ? {} : { workdir }),
      ...(agent.user === undefined ? {} : { user: agent.user }),
      ...(healthcheck === undefined ? {} : { healthcheck }),
      ...(environment.skills_dir === undefined ? {} : { skills_dir: environment.skills_dir }),
      ...(environment.mcp_servers.length === 0 ? {} : { has_mcp_servers: true as const }),
    },
    steps: [{ kind: 'agent', prompt, timeout_secs: agent.timeout_sec ?? NO_LIMIT_SECS }],
    checks: {
      folder: '.',
      gates: [
        {
          type: 'verifier',
          timeout_secs: verifier.timeout_sec,
          tests: ['tests'],
          script: 'test.sh',
          env: verifier.env,
          pass_reward: 1,
          ...(verifier.user === undefined ? {} : { user: verifier.user }),
        },
      ],
      evaluators: [],
    },
    judgment: { gates: 'all_pass' },
    agents: [],
    repeat: 1,
    cost: { cache: true },
  };
}

/** Maps a path in the scenario to its path in the file. */
function filePathOf(path: Path): Path {
  const [first, second, third, ...rest] = path;
  switch (first) {
    case 'environment':
      return second === 'build' || second === 'image'
        ? ['environment', 'docker_image']
        : ['environment', ...(second === undefined ? [] : [OF_ENVIRONMENT[String(second)] ?? second])];
    case 'task':
      return OF_TASK[String(second)]?.(third === undefined ? [] : [third]) ?? ['environment'];
    case 'steps':
      return ['agent', ...(third === 'timeout_secs' ? ['timeout_sec'] : [])];
    case 'checks':
      return ['verifier', ...(rest[0] === 'env' ? rest : [])];
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
  has_mcp_servers: () => ['environment', 'mcp_servers'],
};

/** Keys that change nothing here, with the reason. */
const WITHOUT_EFFECT: readonly (readonly [Path, (file: TaskFile) => boolean, string])[] = [
  [['artifacts'], ({ artifacts }) => artifacts.length > 0, 'artifacts are not collected yet, except for WORKDIR'],
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
  const instruction = look('instruction.md');
  const prompt = instructionOf(instruction?.kind === 'file' ? (instruction.text ?? '') : '');
  const problems = [
    ...refusalsIn(file).map(({ path, message }) => at(path, message, 'key')),
    ...fileProblems(file, look).map(({ file: path, message }) => inFolder(path, message)),
    ...(prompt.trim() === '' && file.steps === undefined
      ? [inFolder('instruction.md', 'missing or empty: expected what the agent is to do')]
      : []),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const scenario = toScenario(file, folderName(name), prompt);
  const problemAt: ProblemAt = (path, ...what) => at(filePathOf(path), ...what);
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
