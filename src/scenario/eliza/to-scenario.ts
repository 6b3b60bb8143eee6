import type { Path, ProblemAt } from '#input';
import { defined, ownValue } from '#lib';
import { DEFAULT_VARIANT, isAgentKind } from '#model';
import { databasePathOf, databasesIn } from '../database.js';
import type { ScenarioReader } from '../reader.js';
import {
  checksNothing,
  type ConversationStep,
  DEFAULT_AGENT_TIMEOUT_SECS,
  type Scenario,
  type Step,
} from '../scenario.js';
import { loadYaml } from '../yaml/load-yaml.js';
import type { Conversation } from './conversation.js';
import { hasRuntime, isForRuntime, modelsOf, toRuntime } from './runtime-fields.js';
import { ElizaFile, type Step as FileStep } from './schema.js';

/** Time limit of the code of one step. */
const CODE_SECS = 300;

/** Converts a file to a scenario. The form has no target: what is tested is the agent, or the code of the steps. */
export function toScenario(file: ElizaFile): Scenario {
  const steps = stepsOf(file);
  const hasAgent = steps.some(({ kind }) => isAgentKind(kind));
  const runtime = toRuntime(file);
  const agent = file.agent ?? (hasRuntime(file) ? 'eliza' : undefined);
  return {
    name: file.name,
    description: file.description,
    tier: 0,
    tags: [],
    inputs: { fixture: null, files: file.setup.virtual_fs, commands: [] },
    target: null,
    environment: file.environment,
    steps,
    checks: {
      ...defined({ folder: file.checks_folder }),
      gates: file.evaluations,
      evaluators: [],
    },
    judgment: { gates: file.judgment.strategy },
    agents: agent === undefined || !hasAgent ? [] : [{ agent, models: modelsOf(runtime?.character ?? null) }],
    repeat: 1,
    // Running code again costs nothing, and what its programs depend on is unknown.
    cost: { cache: hasAgent },
    executions: true,
    ...(file.setup.mocks.length === 0 ? {} : { mocks: file.setup.mocks }),
    ...defined({ runtime }),
    ...(file.setup.mock_url_variables.length === 0 ? {} : { mock_url_variables: file.setup.mock_url_variables }),
    ...(isForRuntime(file.setup.database) || file.setup.database === undefined
      ? {}
      : { databases: databasesIn(file.setup.database) }),
  };
}

const stepsOf = ({ run }: ElizaFile): Step[] => (Array.isArray(run) ? run.map(stepOf) : [agentStepOf(run.input)]);

/** The kind of a step: a conversation comes before input, and input before code. */
function stepOf({ name, input, lang, code, conversation, evaluations }: FileStep): Step {
  const common = { ...defined({ name }), gates: evaluations };
  if (conversation !== undefined) return conversationStepOf(conversation, input ?? FIRST_MESSAGE, common);
  if (input !== undefined) return { ...agentStepOf(input), ...common };
  return { kind: 'command', command: codeCommand(lang, code ?? ''), timeout_secs: CODE_SECS, ...common };
}

const agentStepOf = (prompt: string) => ({ kind: 'agent', prompt, timeout_secs: DEFAULT_AGENT_TIMEOUT_SECS }) as const;

/** The user's first message in a conversation without `input`. */
const FIRST_MESSAGE = 'Hello, I need help.';

/** The time that a model may take to play the user or to decide about a condition. */
const ASK_SECS = 60;

function conversationStepOf(
  of: Conversation,
  prompt: string,
  { gates, ...common }: Pick<ConversationStep, 'name' | 'gates'>,
): ConversationStep {
  return {
    kind: 'conversation',
    ...common,
    prompt,
    timeout_secs: of.timeout_per_turn_ms / 1000,
    turns: of.max_turns,
    total_secs: of.total_timeout_ms / 1000,
    ask_secs: ASK_SECS,
    user: userOf(of.user_simulator),
    ends_when: of.termination_conditions.map(({ llm_judge, ...condition }) => ({
      ...condition,
      ...defined({ judge: llm_judge }),
    })),
    turn_gates: of.turn_evaluations,
    gates: [...of.final_evaluations, ...(gates ?? [])],
  };
}

/** Programs that have another name than the language, or take code after another option than `-c`. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  node: ['node', '-e'],
  javascript: ['node', '-e'],
  python: ['python3', '-c'],
};

/** The command that runs code in a language. */
const codeCommand = (lang: string, code: string): string[] => [...(ownValue(LANGUAGES, lang) ?? [lang, '-c']), code];

/** Maps a path in the scenario to its path in the file. */
export function filePathOf(file: ElizaFile, path: Path): Path {
  const { run, setup } = file;
  const [first, second, ...rest] = path;
  switch (first) {
    case 'inputs':
      return ['setup', 'virtual_fs', ...rest];
    case 'mocks':
    case 'mock_url_variables':
      return ['setup', ...path];
    case 'databases':
      return ['setup', ...(isForRuntime(setup.database) ? path : databasePathOf(setup.database, path.slice(1)))];
    case 'steps':
      return filePathOfStep(run, Number(second), rest);
    case 'checks':
      if (second === 'folder') return ['checks_folder'];
      return ['evaluations', ...rest];
    case 'judgment':
      return ['judgment', 'strategy'];
    case 'agents':
      if (rest[0] === 'models') return ['character', 'llm', 'model'];
      return file.agent === undefined ? filePathOfRuntime(file, []) : ['agent'];
    case 'runtime':
      return filePathOfRuntime(file, path.slice(1));
    case undefined:
    default:
      return path;
  }
}

/** The runtime as a whole is where it is described first. */
const filePathOfRuntime = ({ character }: ElizaFile, path: Path): Path => {
  if (path[0] === 'database') return ['setup', ...path];
  return path.length > 0 ? path : [character === undefined ? 'plugins' : 'character'];
};

const userOf = ({
  persona,
  objective,
  constraints,
  knowledge_level,
  temperature,
  max_tokens,
  ...more
}: Conversation['user_simulator']) => ({
  persona,
  objective,
  constraints,
  knowledge_level,
  temperature,
  max_tokens,
  ...defined({ style: more.style, emotional_state: more.emotional_state }),
});

/** Parts of a conversation, and the place of each in the file. */
const CONVERSATION_FIELDS: Readonly<Record<string, string>> = {
  turn_gates: 'turn_evaluations',
  ends_when: 'termination_conditions',
  user: 'user_simulator',
  turns: 'max_turns',
  timeout_secs: 'timeout_per_turn_ms',
  total_secs: 'total_timeout_ms',
};

function filePathOfStep(run: ElizaFile['run'], at: number, [field, ...rest]: Path): Path {
  if (!Array.isArray(run)) return ['run', 'input'];
  const step = run[at];
  if (field === undefined) return ['run', at];
  const conversation = step?.conversation;
  const [index, ...inGate] = rest;
  if (field === 'gates' && conversation !== undefined) {
    const finals = conversation.final_evaluations.length;
    return Number(index) < finals
      ? ['run', at, 'conversation', 'final_evaluations', ...rest]
      : ['run', at, 'evaluations', ...(index === undefined ? [] : [Number(index) - finals]), ...inGate];
  }
  if (field === 'gates') return ['run', at, 'evaluations', ...rest];
  const inConversation = CONVERSATION_FIELDS[String(field)];
  if (conversation !== undefined && inConversation !== undefined)
    return ['run', at, 'conversation', inConversation, ...rest];
  return ['run', at, step?.input === undefined ? (conversation === undefined ? 'code' : 'conversation') : 'input'];
}

/** The runner of ElizaOS refuses such files, too. */
export const NO_EVALUATIONS = 'nothing is checked; add evaluations, to a step or at the top level';

/** Reads a scenario in the form of the ElizaOS scenario runner. */
export const readScenario: ScenarioReader = (name, text) => {
  const loaded = loadYaml(ElizaFile, name, text);
  if (!loaded.ok) return loaded;
  const { value: file } = loaded;
  const scenario = toScenario(file);
  const problemAt: ProblemAt = (path, ...what) => loaded.problemAt(filePathOf(file, path), ...what);
  if (checksNothing(scenario, false)) return { ok: false, problems: [loaded.problemAt(['run'], NO_EVALUATIONS)] };
  return {
    ok: true,
    value: {
      scenario,
      variants: [{ variant: DEFAULT_VARIANT, scenario, env: {}, targetBinary: null, problemAt }],
    },
    problemAt,
  };
};
