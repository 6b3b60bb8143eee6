import type { GateSpec } from '#gates';
import type { Path, ProblemAt } from '#input';
import { type Problem, safeName, shellWord } from '#lib';
import { checkScript } from './check-script.js';
import type { Scenario, Step } from '../scenario.js';

/** A folder that is copied into a task folder. */
interface CopiedFolder {
  of: 'checks' | 'build';
  /** Below that folder; empty for the whole of it. */
  below: string;
  to: string;
}

/** A scenario as a task folder of Harbor, besides the workspace, which is filled as for a run. */
export interface TaskFolder {
  /** Written after the folders are copied. */
  files: { path: string; text: string; executable?: true }[];
  copies: CopiedFolder[];
}

/** The workspace in the container. */
const WORKSPACE = '/workspace';
/** Folder in the build context that becomes `/`. */
const ROOT = 'root';
/** Folder of the workspace's files in a task folder. */
export const WORKSPACE_FILES = `environment/${ROOT}${WORKSPACE}`;
const CHECKS = '/tests/checks';
const GRACE_SECS = 60;

/** A string of TOML. */
const toml = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');

/** The parts of a scenario that a task folder cannot say, with what to do. */
const UNFIT: readonly [Path, (scenario: Scenario) => boolean, string][] = [
  [['task'], ({ task }) => task !== undefined, 'the scenario is a task folder already; copy it'],
  [
    ['environment'],
    ({ environment }) => environment.type !== 'docker',
    'a task runs in a container; set environment.type to docker, with an image or a folder to build',
  ],
  [
    ['target'],
    ({ target }) => target === 'from_config' || target?.binary.includes('/') === true,
    'the target is a file of this machine; put it into the image, and name it here without a path',
  ],
  [
    ['target', 'health_check'],
    ({ target }) => target !== 'from_config' && target?.health_check !== undefined,
    'a health check of the target cannot be written; make it a gate',
  ],
  [['subject'], ({ subject }) => subject !== undefined, 'a task cannot give the agent a subject'],
  [['mocks'], ({ mocks = [] }) => mocks.length > 0, 'a task has no mocks'],
  [['databases'], ({ databases = [] }) => databases.length > 0, 'a task has no databases; fill them in the image'],
  [['runtime'], ({ runtime }) => runtime !== undefined, 'a task has no parts of the agent eliza'],
  [['judgment', 'judge'], ({ judgment }) => judgment.judge?.enabled === true, 'a task has no judge; write gates'],
  [
    ['checks', 'evaluators'],
    ({ checks }) => checks.evaluators.length > 0,
    'a task has no evaluators; let a verifier write more rewards',
  ],
  [
    ['steps'],
    ({ steps }) => steps.filter(({ kind }) => kind === 'agent').length !== 1,
    'a task of one conversation has exactly one prompt: in its steps, the agent begins anew',
  ],
];

type AgentInput = Extract<Step, { kind: 'agent' }>;

/** The problems of the steps: everything but one prompt, and commands after it. */
function stepProblems({ steps }: Scenario): [Path, string][] {
  const agentAt = steps.findIndex(({ kind }) => kind === 'agent');
  return steps.flatMap((step, at): [Path, string][] => {
    const path = ['steps', at];
    switch (step.kind) {
      case 'script':
        return [[path, 'a task has no agent scripts; write their answers into the prompt']];
      case 'conversation':
        return [[path, 'a task has no simulated user']];
      case 'command':
        return [
          ...only(at < agentAt, path, 'a task has no commands before the agent; make it a setup command'),
          ...gatesProblem(path, step.gates),
        ];
      case 'agent':
        return [
          ...only(step.idle_timeout_secs !== undefined, path, 'a task has no limit for an agent without output'),
          ...only(step.max_turns !== undefined, path, 'a task has no limit of turns'),
          ...gatesProblem(path, step.gates),
        ];
    }
  });
}

const only = (is: boolean, path: Path, why: string): [Path, string][] => (is ? [[path, why]] : []);

const gatesProblem = (path: Path, gates: readonly GateSpec[] = []): [Path, string][] =>
  gates.map((gate, index) => [
    [...path, 'gates', index],
    `a task checks nothing in between: move ${gate.type} to the gates after all steps`,
  ]);

/** The verifier of a scenario that has nothing else; null if it has other gates. */
function onlyVerifier({ checks: { gates } }: Scenario): Extract<GateSpec, { type: 'verifier' }> | null {
  const [first] = gates;
  return gates.length === 1 && first?.type === 'verifier' ? first : null;
}

/** Gates as lines of sh; or the problem of each that cannot be one. */
function checksOf(scenario: Scenario): { lines: string[]; problems: [Path, string][] } {
  const lines: string[] = [];
  const problems: [Path, string][] = [];
  if (scenario.checks.gates.length === 0) problems.push([['checks'], 'a task needs at least one gate']);
  for (const [index, gate] of scenario.checks.gates.entries()) {
    const script = checkScript(gate);
    if (script !== null) lines.push(`check ${shellWord(gate.name ?? gate.type)} ${shellWord(script)}`);
    else
      problems.push([
        ['checks', 'gates', index],
        `${gate.type} cannot be written as a line of sh; use one of the gates of files and commands without patterns, or only a verifier`,
      ]);
  }
  return { lines, problems };
}

const testScript = (lines: readonly string[], posts: readonly string[], isAny: boolean): string => `#!/bin/sh
export LLM_TOOL_TEST_CHECKS=${CHECKS}
passed=0
failed=0
check() {
  if sh -c "$2" </dev/null >/logs/verifier/check.out 2>&1; then
    passed=$((passed + 1))
    echo "pass  $1"
  else
    failed=$((failed + 1))
    echo "fail  $1"
    cat /logs/verifier/check.out
  fi
}
${[...posts.map((command) => `sh -c ${shellWord(command)} </dev/null`), ...lines].join('\n')}
${isAny ? '[ $passed != 0 ]' : '[ $failed = 0 ]'} && reward=1 || reward=0
echo $reward >/logs/verifier/reward.txt
`;

const commandText = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : command.map(shellWord).join(' ');

/** A line that begins a stage of a Dockerfile, with its name if it has one. */
const FROM = /^[ \t]*FROM[ \t].*?(?:[ \t]AS[ \t]+(\S+))?[ \t]*$/gim;

/**
 * A Dockerfile with the workspace, and the commands that set it up. Everybody may write into the workspace, because
 * only the image knows its USER: a stage of root sets the modes, which COPY keeps.
 */
function withWorkspace(dockerfile: string, { inputs }: Scenario): string {
  const last = [...dockerfile.matchAll(FROM)].at(-1);
  const named = last?.[1];
  const image = named ?? 'task-image';
  const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
  const base = named === undefined ? `${dockerfile.slice(0, end)} AS ${image}${dockerfile.slice(end)}` : dockerfile;
  return `${[
    base.replace(/\n?$/, ''),
    `FROM ${image} AS task-workspace`,
    'USER root',
    `COPY ${ROOT}/ /task-root/`,
    `RUN chmod -R a+rwX /task-root${WORKSPACE}`,
    `FROM ${image}`,
    'COPY --from=task-workspace /task-root/ /',
    `WORKDIR ${WORKSPACE}`,
    ...inputs.commands.map((command) => `RUN ${JSON.stringify(['sh', '-c', command])}`),
  ].join('\n')}\n`;
}

/** The solution: what the mock agent of the scenario writes and runs; null if it has none. */
function solutionOf({ mock }: Scenario): string | null {
  const lines = (mock?.steps ?? []).flatMap((step): string[] => {
    if ('write' in step) {
      const path = shellWord(`./${step.write.path}`);
      return [`mkdir -p "$(dirname ${path})" && printf %s ${shellWord(step.write.content)} >${path}`];
    }
    return 'run' in step ? [`sh -c ${shellWord(step.run)}`] : [];
  });
  return lines.length === 0 ? null : `#!/bin/sh\n${lines.join('\n')}\nexit 0\n`;
}

function taskToml(scenario: Scenario, agent: AgentInput, verifierSecs: number, env: Record<string, string>): string {
  const { name, description, tags, environment } = scenario;
  const docker = environment.type === 'docker' ? environment : null;
  const field = (key: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`${key} = ${typeof value === 'string' ? toml(value) : value}`];
  const variables = Object.entries(env).map(([key, value]) => `${key} = ${toml(value)}`);
  return `${[
    'schema_version = "1.4"',
    '',
    '[task]',
    `name = ${toml(/^[\w.-]+\/[\w.-]+$/.test(name) ? name : `llm-tool-test/${safeName(name)}`)}`,
    ...(description === '' ? [] : field('description', description)),
    ...(tags.length === 0 ? [] : [`keywords = [${tags.map(toml).join(', ')}]`]),
    ...['', '[agent]', `timeout_sec = ${agent.timeout_secs}`],
    ...['', '[verifier]', `timeout_sec = ${verifierSecs}`],
    ...(variables.length === 0 ? [] : ['', '[verifier.env]', ...variables]),
    ...['', '[environment]', `build_timeout_sec = ${docker?.build_timeout_secs ?? 600}`],
    ...field('cpus', docker?.cpus),
    ...field('memory_mb', docker?.memory_mb),
    ...(docker?.network === undefined ? [] : ['network_mode = "no-network"']),
  ].join('\n')}\n`;
}

/**
 * Writes a scenario as a task folder of Harbor. `dockerfile`: the text of the Dockerfile that its image is built of;
 * null if it names an image. Returns the problems of everything that a task folder cannot say, at their places.
 */
export function writeTask(
  scenario: Scenario,
  problemAt: ProblemAt,
  dockerfile: string | null,
): { ok: true; task: TaskFolder } | { ok: false; problems: Problem[] } {
  const verifier = onlyVerifier(scenario);
  const { lines, problems } = verifier === null ? checksOf(scenario) : { lines: [], problems: [] };
  const all: [Path, string][] = [
    ...UNFIT.flatMap(([path, applies, why]): [Path, string][] => (applies(scenario) ? [[path, why]] : [])),
    ...stepProblems(scenario),
    ...problems,
  ];
  const agent = scenario.steps.find((step): step is AgentInput => step.kind === 'agent');
  if (all.length > 0 || agent === undefined)
    return { ok: false, problems: all.map(([path, message]) => problemAt(path, message)) };
  const { environment, checks, judgment } = scenario;
  const image = environment.type === 'docker' ? (environment.image ?? null) : null;
  const base = dockerfile ?? `FROM ${image ?? ''}\n`;
  const posts = scenario.steps.flatMap((step) => (step.kind === 'command' ? [commandText(step.command)] : []));
  const commandSecs = scenario.steps.reduce((sum, step) => sum + (step.kind === 'command' ? step.timeout_secs : 0), 0);
  const verifierSecs = checks.gates.reduce((sum, gate) => sum + gate.timeout_secs, commandSecs + GRACE_SECS);
  const solution = solutionOf(scenario);
  return {
    ok: true,
    task: {
      copies: [
        ...(dockerfile === null ? [] : [{ of: 'build' as const, below: '', to: 'environment' }]),
        ...(checks.folder === undefined
          ? []
          : verifier === null
            ? [{ of: 'checks' as const, below: '', to: 'tests/checks' }]
            : verifier.tests.map((below) => ({ of: 'checks' as const, below, to: 'tests' }))),
      ],
      files: [
        { path: 'task.toml', text: taskToml(scenario, agent, verifierSecs, verifier?.env ?? {}) },
        { path: 'instruction.md', text: agent.prompt },
        {
          path: 'environment/Dockerfile',
          text: withWorkspace(base, scenario),
        },
        ...(verifier === null
          ? [
              {
                path: 'tests/test.sh',
                text: testScript(lines, posts, judgment.gates === 'any_pass'),
                executable: true as const,
              },
            ]
          : []),
        ...(solution === null ? [] : [{ path: 'solution/solve.sh', text: solution, executable: true as const }]),
      ],
    },
  };
}
