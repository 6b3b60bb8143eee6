import { stringify } from 'yaml';
import { z } from 'zod';
import { check, inTextOrder, type Loaded, nonBlank, type ProblemAt, type Source } from '#input';
import { fileProblem, isMap, type Problem, shellWord } from '#lib';
import { loadYaml, parseYaml } from '../yaml/load-yaml.js';
import { splitFrontMatter } from '../yaml/load-skill.js';
import { BODY, gateOfGrader, Grader, isOnlyWith, type PartNames } from './graders.js';

/*
 * The cases of `claude plugin eval`, by the schema of Claude Code 2.1.330: a folder with prompt.md and graders/*.md,
 * with case.yaml, or with both, where prompt.md counts more. What has no equivalent in a scenario is a problem if it
 * could change a verdict, and else a note.
 */

const texts = z.array(z.string());
/** Its default is that of Claude Code, so that an imported case runs as often and as long. */
const head = {
  schema_version: z.string().exactOptional(),
  name: nonBlank('the name of the case').exactOptional(),
  description: z.string().exactOptional(),
  tags: texts.default([]),
  plugins: texts.exactOptional(),
  runs: z.int().min(1).max(50).default(3),
  expected_outcome: z.string().exactOptional(),
};
const execution = {
  model: z.string().exactOptional(),
  max_turns: z.int().min(1).max(200).default(10),
  timeout_seconds: z.int().min(1).max(3600).default(300),
  allowed_tools: texts.default([]),
  disallowed_tools: texts.default([]),
  artifact_publish: z.boolean().exactOptional(),
  growthbook_overrides: z.unknown().exactOptional(),
  append_system_prompt: z.string().exactOptional(),
  env: z.record(z.string(), z.string()).default({}),
};
const Context = z.strictObject({
  scaffold_script: z.string().exactOptional(),
  history_file: z.string().exactOptional(),
  add_dirs: texts.default([]),
});

const Front = z.strictObject({ ...head, ...execution });
const CaseFile = z.strictObject({
  ...head,
  context: Context.prefault({}),
  execution: z.strictObject({ ...execution, prompt: z.string().exactOptional() }).prefault({}),
  graders: z.array(Grader).default([]),
});

interface NamedText {
  file: string;
  text: string;
}

/** The files of a case. `name`: that of its folder. */
export interface CaseFiles {
  name: string;
  yaml: NamedText | null;
  prompt: NamedText | null;
  /** By the names of the graders. */
  graders: ReadonlyMap<string, NamedText>;
}

/** A case as a scenario. `scaffold`: the path of its script, relative to the case. */
export interface PluginCase {
  scenario: string;
  yaml: string;
  notes: string[];
}

/** The plugin under test. `path`: its folder, relative to the scenario files. */
export interface TestedPlugin extends PartNames {
  name: string;
  path: string;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The value of the front matter of a Markdown file, with the text after it under `key`, unless it is given. */
function frontSource(
  { file, text }: NamedText,
  more: (value: Record<string, unknown>, body: string) => object,
): Source | Problem[] {
  const front = splitFrontMatter(text) ?? { yaml: '', body: text };
  const { source, problems } =
    front.yaml.trim().replace(/^#$/, '') === '' ? { source: null, problems: [] } : parseYaml(file, front.yaml);
  if (problems.length > 0) return problems;
  const value = isMap(source?.value) ? source.value : {};
  return {
    file,
    nouns: { map: 'a map', list: 'a list' },
    value: { ...value, ...more(value, front.body.trim()) },
    locate: (path, side) => source?.locate(path, side) ?? null,
  };
}

interface PlacedGrader {
  grader: Grader;
  problem: (message: string) => Problem;
}

function readGraders(graders: CaseFiles['graders'], problems: Problem[]): PlacedGrader[] {
  return [...graders].flatMap(([name, one]): PlacedGrader[] => {
    // Files without front matter are no graders.
    if (splitFrontMatter(one.text) === null) return [];
    const source = frontSource(one, (value, body) => {
      const key = BODY[String(value['type'])];
      return { name, ...(key === undefined || value[key] !== undefined || body === '' ? {} : { [key]: body }) };
    });
    const loaded = Array.isArray(source) ? { ok: false as const, problems: source } : check(Grader, source);
    if (loaded.ok) return [{ grader: loaded.value, problem: (message) => loaded.problemAt([], message) }];
    problems.push(...loaded.problems);
    return [];
  });
}

/** Translates a case. `scaffold` returns the text of a script of it; null if there is none. */
export function pluginCase(
  files: CaseFiles,
  plugin: TestedPlugin,
  scaffold: (path: string) => string | null,
): { ok: true; value: PluginCase } | { ok: false; problems: Problem[] } {
  const problems: Problem[] = [];
  const keep = <T>(loaded: Loaded<T>): { value: T; problemAt: ProblemAt } | null => {
    if (loaded.ok) return loaded;
    problems.push(...loaded.problems);
    return null;
  };
  const { yaml, prompt } = files;
  const inYaml = yaml === null ? null : keep(loadYaml(CaseFile, yaml.file, yaml.text));
  const frontOf = prompt === null ? null : frontSource(prompt, () => ({}));
  if (Array.isArray(frontOf)) problems.push(...frontOf);
  const inFront = frontOf === null || Array.isArray(frontOf) ? null : keep(check(Front, frontOf));
  const placed = [
    ...(inYaml?.value.graders ?? []).map((grader, index): PlacedGrader => ({
      grader,
      problem: (message) => inYaml?.problemAt(['graders', index], message) as Problem,
    })),
    ...readGraders(files.graders, problems),
  ];
  if (problems.length > 0) return { ok: false, problems: inTextOrder(problems) };

  const first = prompt ?? yaml ?? { file: files.name, text: '' };
  const problem = (message: string, path: string[] = []): void => {
    const at = inYaml?.problemAt(path, message) ?? fileProblem(first.file, message);
    problems.push(at);
  };
  const written = new Set(isMap(frontOf) && isMap(frontOf['value']) ? Object.keys(frontOf['value']) : []);
  /** The value of a field: from prompt.md, where it is written, else from case.yaml, else the default. */
  const pick = <K extends keyof z.infer<typeof Front>>(key: K): z.infer<typeof Front>[K] | undefined => {
    const of = inYaml?.value as Record<string, unknown> | undefined;
    const inside = inYaml?.value.execution as Record<string, unknown> | undefined;
    const value =
      inFront !== null && (written.has(key) || inYaml === null) ? inFront.value[key] : (inside?.[key] ?? of?.[key]);
    return value as z.infer<typeof Front>[K] | undefined;
  };
  const body = prompt === null ? '' : (splitFrontMatter(prompt.text)?.body ?? prompt.text).trim();
  const asked = body === '' ? (inYaml?.value.execution.prompt ?? '').trim() : body;
  if (asked === '') problem('the case has no prompt: expected it in prompt.md, or in execution.prompt');
  const { scaffold_script: script, history_file: history, add_dirs: folders = [] } = inYaml?.value.context ?? {};
  const setup = script === undefined ? null : scaffold(script);
  if (script !== undefined && setup === null)
    problem(`the script '${script}' was not found`, ['context', 'scaffold_script']);
  if (history !== undefined)
    problem('a run cannot begin with the history of another session', ['context', 'history_file']);
  if (folders.length > 0) problem('a run has no other folders than its workspace', ['context', 'add_dirs']);
  if (pick('plugins') !== undefined) problem('list the plugins in the subject of the scenario instead', ['plugins']);
  if (pick('append_system_prompt') !== undefined)
    problem('a scenario has no system prompt; test it as instructions', ['execution', 'append_system_prompt']);
  if (Object.keys(pick('env') ?? {}).length > 0)
    problem('variables of the agent are set in [agents.claude-code.env] of the config', ['execution', 'env']);

  const gates = placed.flatMap(({ grader, problem: at }) => {
    const gate = gateOfGrader(grader, plugin);
    if (typeof gate === 'string') problems.push(at(`the grader '${grader.name}' cannot be imported: ${gate}`));
    return typeof gate === 'string' ? [] : [{ grader, gate }];
  });
  if (placed.length === 0) problem('the case has no graders, so its scenario would always pass; add one');
  if (problems.length > 0) return { ok: false, problems: inTextOrder(problems) };

  const onlyWith = gates.filter(({ grader, gate }) => isOnlyWith(grader, gate)).map(({ grader }) => grader.name);
  const ignored = [
    ...(['allowed_tools', 'disallowed_tools'] as const).filter((key) => (pick(key) ?? []).length > 0),
    ...(['artifact_publish', 'growthbook_overrides'] as const).filter((key) => pick(key) !== undefined),
  ];
  const name = slug(`${plugin.name}-${pick('name') ?? files.name}`);
  const [title = ''] = (pick('description') ?? pick('expected_outcome') ?? asked).trim().split('\n');
  const model = pick('model');
  const scenario = {
    name,
    description: title,
    tags: [...new Set(['plugin-evals', ...(pick('tags') ?? [])])],
    template_folder: name,
    subject: { plugin: plugin.path },
    ...(onlyWith.length > 0 ? {} : { baseline: true }),
    task: { prompt: asked },
    evaluation: { gates: gates.map(({ gate }) => gate) },
    ...(setup === null ? {} : { setup: { commands: [`bash -c ${shellWord(setup)}`] } }),
    tool_matrix: [{ agent: 'claude-code', ...(model === undefined ? {} : { models: [model] }) }],
    matrix: { repeat: pick('runs') ?? 3 },
    run: { timeout_secs: pick('timeout_seconds') ?? 300, max_turns: pick('max_turns') ?? 10 },
  };
  return {
    ok: true,
    value: {
      scenario: name,
      yaml: stringify(scenario, { lineWidth: 0 }),
      notes: [
        ...(ignored.length === 0 ? [] : [`ignored: ${ignored.join(', ')}; the agent may use all its tools`]),
        ...(gates.some(({ grader }) => grader.weight !== 1) ? ['ignored: weight; every gate must pass'] : []),
        ...(onlyWith.length === 0
          ? []
          : [`runs only with the plugin, because without it, ${onlyWith.join(', ')} cannot pass`]),
        ...(setup === null ? [] : ['its scaffold script is a setup command, without the files beside it']),
      ],
    },
  };
}
