import { databasesIn, databasePathOf } from '../database.js';
import { DEFAULT_AGENT_TIMEOUT_SECS, type Scenario, type Step } from '../scenario.js';
import type { Path } from '../problems/source.js';
import type { ElizaFile, Step as FileStep } from './schema.js';

/** Time limit of the code of one step. */
const CODE_SECS = 300;

/** Converts a file to a scenario. The form has no target: what is tested is the agent, or the code of the steps. */
export function toScenario(file: ElizaFile): Scenario {
  const steps = stepsOf(file);
  const hasAgent = steps.some(({ kind }) => kind === 'agent');
  return {
    name: file.name,
    description: file.description,
    tier: 0,
    tags: [],
    inputs: { fixture: null, files: file.setup.virtual_fs, commands: [] },
    target: null,
    environment: file.environment,
    steps,
    checks: { gates: file.evaluations, evaluators: [] },
    judgment: { gates: file.judgment.strategy },
    agents: file.agent === undefined || !hasAgent ? [] : [{ agent: file.agent, models: [] }],
    repeat: 1,
    // Running code again costs nothing, and what its programs depend on is unknown.
    cost: { cache: hasAgent },
    ...(file.setup.mocks.length === 0 ? {} : { mocks: file.setup.mocks }),
    ...(file.setup.database === undefined ? {} : { databases: databasesIn(file.setup.database) }),
  };
}

const stepsOf = ({ run }: ElizaFile): Step[] =>
  Array.isArray(run) ? run.map(stepOf) : [agentStepOf(run.input)];

/** A step with both input and code gives the agent the input, and ignores the code. */
const stepOf = ({ name, input, lang, code, evaluations }: FileStep): Step => ({
  ...(input === undefined
    ? ({ kind: 'command', command: codeCommand(lang, code ?? ''), timeout_secs: CODE_SECS } as const)
    : agentStepOf(input)),
  ...(name === undefined ? {} : { name }),
  gates: evaluations,
});

const agentStepOf = (prompt: string) =>
  ({ kind: 'agent', prompt, timeout_secs: DEFAULT_AGENT_TIMEOUT_SECS }) as const;

/** Programs that have another name than the language, or take code after another option than `-c`. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  node: ['node', '-e'],
  javascript: ['node', '-e'],
  python: ['python3', '-c'],
};

/** The command that runs code in a language. */
const codeCommand = (lang: string, code: string): string[] => [
  ...((Object.hasOwn(LANGUAGES, lang) ? LANGUAGES[lang] : undefined) ?? [lang, '-c']),
  code,
];

/** Maps a path in the scenario to its path in the file. */
export function filePathOf({ run, setup }: ElizaFile, path: Path): Path {
  const [first, second, ...rest] = path;
  switch (first) {
    case 'inputs':
      return ['setup', 'virtual_fs', ...rest];
    case 'mocks':
      return ['setup', ...path];
    case 'databases':
      return ['setup', ...databasePathOf(setup.database, path.slice(1))];
    case 'steps':
      return filePathOfStep(run, Number(second), rest);
    case 'checks':
      return ['evaluations', ...rest];
    case 'judgment':
      return ['judgment', 'strategy'];
    case 'agents':
      return ['agent'];
    case undefined:
    default:
      return path;
  }
}

function filePathOfStep(run: ElizaFile['run'], at: number, [field, ...rest]: Path): Path {
  if (!Array.isArray(run)) return ['run', 'input'];
  if (field === 'gates') return ['run', at, 'evaluations', ...rest];
  return field === undefined ? ['run', at] : ['run', at, run[at]?.input === undefined ? 'code' : 'input'];
}
