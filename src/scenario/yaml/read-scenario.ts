import type { Loaded, Path } from '#input';
import { defined } from '#lib';
import { databasePathOf, databasesIn } from '../database.js';
import type { ScenarioReader } from '../reader.js';
import { DEFAULT_AGENT_TIMEOUT_SECS, type Scenario, type Step } from '../scenario.js';
import { loadYaml } from './load-yaml.js';
import { ScenarioFile } from './schema.js';
import { applyVariants } from './apply-variants.js';

/** Converts a file to a scenario, ignoring its variants (see `apply-variants.ts`). */
const toScenario = (file: ScenarioFile): Scenario => ({
  name: file.name,
  description: file.description,
  tier: file.tier,
  tags: file.tags,
  inputs: { fixture: file.template_folder, files: file.setup.files, commands: file.setup.commands },
  target: file.target ?? null,
  ...(file.subject === undefined ? {} : { subject: [file.subject].flat() }),
  ...(file.baseline ? { baseline: true as const } : {}),
  environment: file.environment,
  steps: stepsOf(file),
  checks: {
    ...defined({ folder: file.checks_folder }),
    gates: file.evaluation.gates,
    evaluators: file.scripts.evaluators,
  },
  judgment: {
    gates: 'all_pass',
    ...defined({ judge: file.evaluation.judge, composite: file.evaluation.composite }),
  },
  agents: file.tool_matrix,
  repeat: file.matrix.repeat,
  cost: file.cost,
  ...defined({ mock: file.mock }),
  ...(file.setup.mocks.length === 0 ? {} : { mocks: file.setup.mocks }),
  ...(file.setup.mock_url_variables.length === 0 ? {} : { mock_url_variables: file.setup.mock_url_variables }),
  ...(file.setup.database === undefined ? {} : { databases: databasesIn(file.setup.database) }),
});

/** The steps: context scripts, the agent, post scripts. */
const stepsOf = ({ task, run, scripts }: ScenarioFile): Step[] => [
  ...task.context.map((script): Step => ({ kind: 'script', ...script })),
  {
    kind: 'agent',
    prompt: task.prompt,
    ...run,
    timeout_secs: run.timeout_secs ?? DEFAULT_AGENT_TIMEOUT_SECS,
  },
  ...scripts.post.map((post): Step => ({ kind: 'command', ...post })),
];

/** Maps a path in the scenario to its path in the file. */
function filePathOf({ task, setup, subject }: ScenarioFile, path: Path): Path {
  const [first, second, ...rest] = path;
  switch (first) {
    case 'inputs':
      return second === 'fixture' ? ['template_folder'] : ['setup', second ?? 'files', ...rest];
    case 'mocks':
    case 'mock_url_variables':
      return ['setup', ...path];
    case 'databases':
      return ['setup', ...databasePathOf(setup.database, path.slice(1))];
    case 'steps':
      return filePathOfStep(task.context.length, Number(second), rest);
    case 'checks':
      if (second === 'folder') return ['checks_folder'];
      return second === 'evaluators' ? ['scripts', second, ...rest] : ['evaluation', 'gates', ...rest];
    case 'judgment':
      return ['evaluation', ...path.slice(1)];
    case 'agents':
      return ['tool_matrix', ...path.slice(1)];
    case 'subject':
      return Array.isArray(subject) ? path : ['subject', ...path.slice(2)];
    case 'repeat':
      return ['matrix', 'repeat'];
    case undefined:
    default:
      return path;
  }
}

function filePathOfStep(scripts: number, at: number, rest: Path): Path {
  if (at < scripts) return ['task', 'context', at, ...rest];
  if (at > scripts) return ['scripts', 'post', at - scripts - 1, ...rest];
  return rest[0] === undefined || rest[0] === 'prompt' ? ['task', ...rest] : ['run', ...rest];
}

/** Reads a scenario file in its YAML form, without converting it to a `Scenario`. */
export const loadScenarioFile = (file: string, text: string): Loaded<ScenarioFile> =>
  loadYaml(ScenarioFile, file, text);

/** Reads a scenario in the current YAML form. */
export const readScenario: ScenarioReader = (name, text) => {
  const loaded = loadScenarioFile(name, text);
  if (!loaded.ok) return loaded;
  const { value: file, problemAt } = loaded;
  return {
    ok: true,
    value: {
      scenario: toScenario(file),
      variants: applyVariants(file).map(({ variant, file: varied, env, targetBinary, at }) => ({
        variant,
        env,
        targetBinary,
        scenario: toScenario(varied),
        problemAt: (path, ...what) => problemAt(at(filePathOf(varied, path)), ...what),
      })),
    },
    problemAt: (path, ...what) => problemAt(filePathOf(file, path), ...what),
  };
};
