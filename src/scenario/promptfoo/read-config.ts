import { stringify } from 'yaml';
import { inTextOrder, type Loaded, problemIn } from '#input';
import { isMap, type Problem } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';
import { gatesOf } from './assertions.js';
import { CHECK_PROGRAM } from './check-program.js';
import { fieldOf, type Part, partOf, type ReadBeside } from './parts.js';
import { readAgents } from './read-agents.js';
import { type Prompt, readPrompts } from './read-prompts.js';
import { readTests, type Test } from './read-tests.js';
import { fillTemplate } from './templates.js';

/** The scenarios of a config of promptfoo, and the files that they need, by path in the folder of the scenarios. */
export interface PromptfooImport {
  scenarios: string[];
  files: Record<string, string>;
  /** The parts that are not taken, with their places. */
  leftOut: Problem[];
}

const KEYS = ['$schema', 'description', 'prompts', 'providers', 'targets', 'defaultTest', 'tests'];
/** More are no files that a person would keep. */
const MAX_SCENARIOS = 500;

/** Reads a config of promptfoo: makes a scenario of each test with each prompt. */
export function readPromptfoo(file: string, text: string, read: ReadBeside): Loaded<PromptfooImport> {
  const { source, problems } = parseYaml(file, text);
  if (source === null) return { ok: false, problems };
  const refuse = (path: string[], message: string): Loaded<PromptfooImport> => ({
    ok: false,
    problems: [problemIn(source, path, message)],
  });
  if (!isMap(source.value)) return refuse([], 'expected a map with prompts and tests');
  const config = partOf(source);
  config.left.addOthers(source.value, [], KEYS);
  const prompts = readPrompts(fieldOf(config, 'prompts'), read);
  const agents = [...readAgents(fieldOf(config, 'providers')), ...readAgents(fieldOf(config, 'targets'))];
  const tests = readTests(config, read);
  if (prompts.length * tests.length > MAX_SCENARIOS)
    return refuse(['tests'], `${prompts.length * tests.length} scenarios would be written, more than ${MAX_SCENARIOS}`);
  const { description } = source.value;
  const suite = slug(typeof description === 'string' ? description : 'promptfoo') || 'promptfoo';
  const checks: Checks = { assertions: [], files: {}, read };
  const scenarios = tests.flatMap((test, at) =>
    prompts.flatMap((prompt, nth) => {
      const name = `${suite}-${at + 1}${prompts.length === 1 ? '' : `-${nth + 1}`}`;
      const made = scenarioOf(test, prompt, checks);
      return made === null ? [] : [{ name, ...made }];
    }),
  );
  if (scenarios.length === 0) {
    const all = inTextOrder(config.left.problems);
    return { ok: false, problems: all.length > 0 ? all : [problemIn(source, [], 'there is nothing in it to import')] };
  }
  const checksFolder = `checks/${suite}`;
  const files = {
    [`${suite}/.gitkeep`]: '',
    ...Object.fromEntries(
      scenarios.map(({ name, about, prompt, gates, hasProgram }) => [
        `${name}.yaml`,
        stringify(
          {
            name,
            description: about,
            tags: ['promptfoo'],
            template_folder: suite,
            ...(hasProgram ? { checks_folder: checksFolder } : {}),
            target: { binary: 'sh' },
            task: { prompt },
            ...(agents.length === 0
              ? {}
              : {
                  tool_matrix: agents.map(({ agent, models }) => ({
                    agent,
                    ...(models.length === 0 ? {} : { models }),
                  })),
                }),
            evaluation: { gates },
          },
          { lineWidth: 0 },
        ),
      ]),
    ),
    ...(checks.assertions.length === 0
      ? {}
      : {
          [`${checksFolder}/check.mjs`]: CHECK_PROGRAM,
          [`${checksFolder}/assertions.json`]: `${JSON.stringify(checks.assertions, null, 2)}\n`,
          ...Object.fromEntries(
            Object.entries(checks.files).map(([path, content]) => [`${checksFolder}/files/${path}`, content]),
          ),
        }),
  };
  return {
    ok: true,
    value: { scenarios: scenarios.map(({ name }) => name), files, leftOut: config.left.problems },
    problemAt: (path, message) => problemIn(source, path, message),
  };
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '');

/** The assertions that a program checks, and the files that it needs. */
interface Checks {
  assertions: unknown[];
  files: Record<string, string>;
  read: ReadBeside;
}

function scenarioOf(test: Test, { part, text }: Prompt, checks: Checks) {
  const prompt = fillTemplate(text, test.vars);
  if (!prompt.ok) {
    part.left.add(part.path, prompt.reason);
    return null;
  }
  const gates = test.assertions.flatMap((one) => gatesAt(one, test, prompt.text, checks));
  if (gates.length === 0) {
    test.part.left.add(test.part.path, 'nothing in it can be checked');
    return null;
  }
  const [line = ''] = prompt.text.trim().split('\n');
  return {
    about: test.description ?? (line.length > 80 ? `${line.slice(0, 79)}…` : line),
    prompt: prompt.text,
    gates,
    hasProgram: gates.some(({ type }) => type === 'script'),
  };
}

function gatesAt(part: Part, { vars }: Test, prompt: string, checks: Checks): Record<string, unknown>[] {
  const made = gatesOf(part.value as Record<string, unknown>, vars);
  if (!made.ok) {
    part.left.add(part.path, made.reason);
    return [];
  }
  return made.gates.flatMap(({ program, ...gate }) => {
    if (program === undefined) return [gate];
    const of = program as { type: string; value?: unknown; negated?: boolean };
    if (!withFiles(of.value, part, checks)) return [];
    checks.assertions.push({ ...of, prompt });
    const at = checks.assertions.length - 1;
    const description = `${of.negated === true ? 'not-' : ''}${of.type} ${shown(of.value)}`.trim();
    return [{ type: 'script', ...gate, description, command: `node "$LLM_TOOL_TEST_CHECKS/check.mjs" ${at}` }];
  });
}

/** Keeps the program that an assertion names for the checks folder. False, and listed, if it cannot be read. */
function withFiles(value: unknown, part: Part, checks: Checks): boolean {
  const [, path] =
    (typeof value === 'string' ? /^file:\/\/(?:\.\/)?(.+?\.(?:[cm]?[jt]s|py))(?::\w+)?$/.exec(value) : null) ?? [];
  if (path === undefined) return true;
  const text = checks.read(path);
  if (text === null) part.left.add(part.path, `${path} cannot be read`);
  else checks.files[path] = text;
  return text !== null;
}

function shown(value: unknown): string {
  const text = (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value))
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
