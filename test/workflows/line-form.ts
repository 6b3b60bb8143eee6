import type { Path } from '../../src/input/source.js';
import type { ScenarioReader } from '../../src/scenario/reader.js';
import { Scenario, type Step } from '../../src/scenario/scenario.js';
import { DEFAULT_VARIANT } from '../../src/model/records/cell-label.js';

const TIMEOUT_SECS = 30;

/**
 * A second form of scenario file, for tests. Each line is a word and its value, such as `prompt: Copy it.` The lines
 * `run` and `prompt` are steps, in this order; `expect` names a file that must exist.
 */
export const readLines: ScenarioReader = (file, text) => {
  const lines = text.split('\n').flatMap((line, at) => {
    const [, word = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    return line === '' ? [] : [{ word, value, at }];
  });
  const having = (word: string): typeof lines => lines.filter((line) => line.word === word);
  const steps = lines.filter(({ word }) => word === 'run' || word === 'prompt');
  /** The line that defines the value at a path of the scenario. */
  const lineOf = (path: Path): (typeof lines)[number] | undefined =>
    path[0] === 'steps' ? steps[Number(path[1])] : having(path[0] === 'inputs' ? 'fixture' : String(path[0]))[0];
  const problemAt = (path: Path, message: string) => {
    const { word, at } = lineOf(path) ?? { word: '', at: 0 };
    return { file, line: at + 1, column: 1, path: word, message };
  };
  const parsed = Scenario.safeParse({
    name: having('name')[0]?.value,
    description: '',
    tier: 0,
    tags: [],
    repeat: 1,
    inputs: { fixture: having('fixture')[0]?.value, files: {}, commands: [] },
    target: { binary: having('target')[0]?.value, env: {} },
    environment: { type: 'local' },
    steps: steps.map(({ word, value }): Step =>
      word === 'run'
        ? { kind: 'command', command: value, timeout_secs: TIMEOUT_SECS }
        : { kind: 'agent', prompt: value, timeout_secs: TIMEOUT_SECS },
    ),
    checks: {
      gates: having('expect').map(({ value }) => ({ type: 'file_exists', path: value })),
      evaluators: [],
    },
    judgment: { gates: 'all_pass' },
    agents: having('agent').map(({ value }) => ({ agent: value, models: [] })),
    cost: { cache: true },
  } satisfies Record<
    keyof Omit<
      Scenario,
      'mock' | 'mocks' | 'mock_url_variables' | 'executions' | 'runtime' | 'databases' | 'subject' | 'baseline' | 'task'
    >,
    unknown
  >);
  if (!parsed.success)
    return { ok: false, problems: parsed.error.issues.map(({ path, message }) => problemAt(path, message)) };
  const scenario = parsed.data;
  return {
    ok: true,
    problemAt,
    value: {
      scenario,
      variants: [{ variant: DEFAULT_VARIANT, scenario, env: {}, targetBinary: null, problemAt }],
    },
  };
};
