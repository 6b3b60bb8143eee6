import { z } from 'zod';
import { acpAgentNames, acpPresetNames, adapterNames, adaptersWith } from '#agents';
import {
  always,
  cleanText,
  command,
  environmentVariables,
  inSchema,
  judgeName,
  label,
  type Loaded,
  nonBlank,
} from '#input';
import { MAX_CONCURRENCY, suggest, variableNames } from '#lib';
import { Price } from '#model';
import { loadToml } from './load-toml.js';
import { Target } from './target.js';

const agentNames = z.array(label('the name of an agent')).default([]);
const modelNames = z.array(label('the name of a model')).default([]);
const monthUsd = z.number().min(0);
const places = z.int().min(1).max(MAX_CONCURRENCY);

const oneOf = (names: readonly string[], before = '') => ({
  error({ input }: { input?: unknown }) {
    const near = typeof input === 'string' ? suggest(input, names) : null;
    const known = names.map((name) => `'${name}'`).join(', ');
    return `expected ${before}one of ${known}${near === null ? '' : `; did you mean '${near}'?`}`;
  },
});

/**
 * Defines a custom agent (a command that takes a prompt), gives a built-in agent another name, or overrides its
 * settings.
 */
export const AgentTable = z.strictObject({
  name: z.string().exactOptional().describe("Without effect: the table's name is the agent's"),
  adapter: z
    .enum(adapterNames, oneOf(adapterNames))
    .exactOptional()
    .describe('It is this built-in agent under another name, with settings of its own'),
  command: nonBlank('the program to start')
    .exactOptional()
    .describe('The program: a name on PATH, or a path relative to this file. Built-in agents have a default'),
  module: nonBlank('the path of a module')
    .exactOptional()
    .describe('Instead of command: a JavaScript or TypeScript module that is the agent, relative to this file'),
  args: z
    .array(z.string())
    .default([])
    .describe("Arguments; {model}, {prompt_file} and {workspace} stand for the run's values"),
  prompt: z
    .enum(['arg', 'stdin', 'file'])
    .exactOptional()
    .describe(
      'Where the prompt goes: last argument (default), stdin, or a file whose path is an argument ({prompt_file} or last)',
    ),
  output: z
    .enum(['text', 'jsonl'])
    .exactOptional()
    .describe('text (default); jsonl: it prints events, one JSON object per line (specs/how-to/jsonl-agents.md)'),
  models: modelNames.describe('Default models'),
  version_command: command.exactOptional().describe('Shell command that prints its version'),
  free: z.boolean().exactOptional().describe('It costs nothing and runs without LLM_TOOL_TEST_ENABLED'),
  env: environmentVariables.default({}),
  acp: z
    .union([z.literal(true), z.enum(acpPresetNames)], oneOf(acpPresetNames, 'true or '))
    .exactOptional()
    .describe('It speaks the Agent Client Protocol: true, or the agent that is known to be it'),
  registry: z
    .strictObject({
      file: nonBlank('the path of a registry file').describe('A registry of ACP in JSON, relative to this file'),
      id: nonBlank('the id of an agent in it').describe('The id of the agent in it'),
    })
    .exactOptional()
    .describe('With acp = true: the registry file that says how to start it'),
  effort: nonBlank('how long the model thinks, like "high"')
    .exactOptional()
    .describe('claude-code, codex, loop, opencode and pi only: how long the model thinks, in the words of the agent'),
  mode: nonBlank('the name of a mode')
    .exactOptional()
    .describe('claude-code, codex, gemini and agents that speak ACP only: its permissions, in the words of the agent'),
  options: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Agents that speak ACP only: values of session options by their ids'),
  context_tokens: z
    .int()
    .min(1000)
    .exactOptional()
    .describe('loop only: the most tokens of a request to the model; by default, what the public price list says'),
  auth: z
    .enum(['key', 'login'])
    .exactOptional()
    .describe('Built-in agents only: the key of the provider (default), or your login with the agent'),
});
export type AgentTable = z.infer<typeof AgentTable>;

/** All settings but `name`, `models` and `env`, which every agent has, and `registry`, which has a rule of its own. */
const SETTINGS = AgentTable.omit({ name: true, models: true, env: true, registry: true }).keyof().options;

/** An agent of the config: what it is, and the settings that it takes besides those that every agent has. */
interface Kind {
  what: string;
  takes: readonly string[];
  /** Set if it is built in, perhaps under another name. */
  isBuiltIn?: boolean;
  isAlias?: boolean;
  speaksAcp?: boolean;
}

function kindOf(name: string, { adapter, module, acp }: Record<string, unknown>): Kind {
  const builtIn = adapterNames.includes(name) ? name : adapter;
  if (typeof builtIn === 'string') {
    const isAlias = builtIn !== name;
    const takes = SETTINGS.filter((key) => adaptersWith(key).includes(builtIn));
    const speaksAcp = acpAgentNames.includes(builtIn);
    return { what: builtIn, takes: [...takes, ...(isAlias ? ['adapter'] : [])], isBuiltIn: true, isAlias, speaksAcp };
  }
  if (module !== undefined) return { what: 'an agent with a module', takes: ['module', 'free'] };
  const ofCommands = ['command', 'args', 'version_command', 'free'];
  if (acp !== undefined)
    return { what: 'an agent that speaks ACP', takes: [...ofCommands, 'acp', 'mode', 'options'], speaksAcp: true };
  return { what: 'an agent with a command', takes: [...ofCommands, 'prompt', 'output'] };
}

/** The reason why a setting does not apply to an agent. */
function refusal(key: string, { what, takes, isBuiltIn, isAlias, speaksAcp }: Kind): string {
  if (!takes.includes('command')) {
    const own = ['models', 'env', ...takes.filter((name) => name === 'effort' || name === 'context_tokens'), 'free'];
    return `cannot be set for ${what}, which only has ${own.slice(0, -1).join(', ')} and free`;
  }
  if (key === 'context_tokens') return `only for ${adaptersWith(key).join(', ')}`;
  if (key === 'effort')
    return speaksAcp === true
      ? `cannot be set for ${what}: use options, by the id that it offers`
      : `only for ${adaptersWith(key).join(', ')}`;
  if (key === 'auth')
    return isBuiltIn === true
      ? `cannot be set for ${what}, which only uses a key`
      : `only for ${adaptersWith(key).join(', ')}`;
  if (key === 'mode' || key === 'options')
    return isBuiltIn === true
      ? `cannot be set for ${what}, which has none`
      : 'only for agents that speak ACP: add acp = true';
  if (isBuiltIn === true)
    return isAlias === true
      ? `cannot be set together with adapter: ${what} determines this`
      : `cannot be set for ${what}, which is built in; choose another name for your own agent`;
  return `cannot be set for ${what}, which determines this`;
}

/** Finds problems of an agent's table as a whole: missing keys, and keys that do not apply to this agent. */
function tableProblems(name: string, table: object): { key: string; message: string }[] {
  const values = table as Record<string, unknown>;
  const { args, acp, adapter } = values;
  if (adapter !== undefined && !adapterNames.some((known) => known === adapter)) return []; // reported by the schema
  const kind = kindOf(name, values);
  // `args` is empty by default
  const given = (key: string): boolean =>
    Object.hasOwn(table, key) && !(Array.isArray(values[key]) && values[key].length === 0);
  const namesFile =
    acp !== undefined && Array.isArray(args) && args.some((arg) => String(arg).includes('{prompt_file}'));
  const hasCommand =
    given('command') || given('registry') || kind.isBuiltIn === true || !kind.takes.includes('command');
  return [
    ...SETTINGS.filter((key) => given(key) && !kind.takes.includes(key)).map((key) => ({
      key,
      message: refusal(key, kind),
    })),
    ...(namesFile
      ? [{ key: 'args', message: 'without {prompt_file}: the prompt of an agent that speaks ACP is in no file' }]
      : []),
    ...(hasCommand || (acp !== undefined && acp !== true)
      ? []
      : [{ key: 'command', message: 'missing: expected the program to start' }]),
  ];
}

const registryProblems = (table: { registry?: unknown; acp?: unknown }): { key: string; message: string }[] =>
  table.registry === undefined || table.acp === true
    ? []
    : [
        {
          key: 'registry',
          message: 'only together with acp = true: a registry says how to start an agent, and no more',
        },
      ];

/**
 * An OpenAI-compatible API. It serves the models named `<name of the table>/<model>`.
 * `${NAME}` is replaced with an environment variable.
 */
export const Provider = z.strictObject({
  base_url: inSchema(
    z.string().refine((text) => /^https?:\/\/\S|^\$\{/.test(text), {
      error: 'expected an address like "http://127.0.0.1:8000/v1"',
    }),
    /^https?:\/\/\S|^\$\{/,
  ).describe('Address of an OpenAI-compatible API; ${NAME} stands for a variable'),
  api_key: inSchema(
    z.string().refine((text) => variableNames(text).length > 0, {
      error: 'expected a variable like "${NAME}": plans store this text, so keys belong in the environment',
    }),
    /\$\{[A-Za-z_][A-Za-z0-9_]*\}/,
  )
    .exactOptional()
    .describe('A variable with the key: "${NAME}"'),
  free: z.boolean().default(false).describe('It costs nothing and is asked without LLM_TOOL_TEST_ENABLED'),
});
export type Provider = z.infer<typeof Provider>;

const providerName = inSchema(
  z.string().refine((name) => /^[\w.-]+$/.test(name), {
    error: 'expected a name of letters, digits, "-", "_" and "."',
  }),
  /^[\w.-]+$/,
);

const Profile = z.strictObject({
  name: z.string().exactOptional().describe("Without effect: the table's name is the profile's"),
  agents: agentNames.describe('Agents for scenarios without a tool_matrix'),
  tools: agentNames.describe('The same as agents'),
  models: modelNames.describe('Models, unless --models is given'),
});

const agentTables = z
  .record(label('the name of an agent'), AgentTable)
  .superRefine((tables: Record<string, unknown>, context) => {
    if (Array.isArray(tables)) return; // reported by the schema
    for (const [name, table] of Object.entries(tables)) {
      if (typeof table !== 'object' || table === null) continue; // reported by the schema
      for (const { key, message } of [...tableProblems(name, table), ...registryProblems(table)])
        context.addIssue({ code: 'custom', path: [name, key], message });
    }
  }, always)
  .default({});

/** `llm-tool-test-config.toml`. `tools` is the Rust original's name for `agents`, and is merged into it. */
export const Config = z
  .strictObject({
    results_path: nonBlank('the path of the results folder')
      .default('llm-tool-test-results')
      .describe('Results folder, relative to this file'),
    fixtures_path: nonBlank('the path of the fixtures folder')
      .default('fixtures')
      .describe('Folder of scenarios and fixtures, relative to this file'),
    agents: agentTables.describe('Your own agents by name; settings of built-in ones'),
    tools: agentTables.describe('The same as agents'),
    profiles: z
      .record(label('the name of a profile'), Profile)
      .default({})
      .describe('Agents and models by the name for --profile'),
    target: Target.exactOptional().describe('The program under test, for scenarios with target: from_config'),
    judge: z
      .strictObject({
        model: judgeName.describe('Who judges: a model as provider/model, or an agent as agent:<agent>/<model>'),
      })
      .exactOptional()
      .describe('The judge of scenarios that name none'),
    providers: z
      .record(providerName, Provider)
      .default({})
      .describe('Providers of models by name, besides the built-in ones'),
    prices: z
      .record(label('the name of a model'), Price)
      .default({})
      .describe('Prices by model; they override the public price list'),
    budgets: z
      .strictObject({
        month_usd: monthUsd
          .exactOptional()
          .describe('What the sweeps of each owner may cost in a calendar month (UTC)'),
        owners: z
          .record(label('the name of an owner'), monthUsd)
          .default({})
          .describe('The same for one owner, instead of month_usd'),
      })
      .prefault({})
      .describe('Budgets of owners, in US dollars; `--max-usd` is that of a sweep'),
    require_sandbox: z
      .boolean()
      .default(false)
      .describe('Runs only start in a sandbox (bubblewrap) with its own network (pasta)'),
    sandbox: z
      .strictObject({
        allow_loopback: z
          .array(z.int().min(1).max(65_535))
          .default([])
          .describe("TCP ports of this machine's loopback that sandboxed agents reach"),
      })
      .prefault({})
      .describe('What sandboxed agents can reach'),
    limits: z
      .strictObject({
        concurrency: places.exactOptional().describe('Cells of a sweep at once (4); `--concurrency` overrides it'),
        agents: z.record(z.string(), places).default({}).describe('Cells at once, by agent'),
        models: z.record(z.string(), places).default({}).describe('Cells at once, by model'),
      })
      .prefault({})
      .describe('Limits on what runs at once'),
  })
  .check(cleanText())
  .superRefine(({ agents, tools }: Partial<Record<'agents' | 'tools', object>>, context) => {
    for (const name of Object.keys(tools ?? {})) {
      if (!Object.hasOwn(agents ?? {}, name)) continue;
      context.addIssue({
        code: 'custom',
        path: ['tools', name],
        message: `agent '${name}' is also in [agents]; keep one`,
      });
    }
  }, always)
  .transform(({ tools, profiles, ...config }) => ({
    ...config,
    agents: { ...config.agents, ...tools },
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, { agents, tools: alias, models }]) => [
        name,
        { agents: [...new Set([...agents, ...alias])], models: [...new Set(models)] },
      ]),
    ),
  }));
export type Config = z.infer<typeof Config>;

/** Parses a config file. Paths in it are returned as written. */
export const parseConfig = (file: string, text: string): Loaded<Config> => loadToml(Config, file, text);

/** The config that applies when there is no config file. */
export const defaultConfig: Config = Config.parse({});
