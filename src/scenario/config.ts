import { z } from 'zod';
import { acpAgentNames, acpPresetNames, adapterNames, adaptersWithoutProgram } from '#agents';
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
const places = z.int().min(1).max(MAX_CONCURRENCY);

/** Defines a custom agent (a command that takes a prompt), or overrides settings of a built-in agent. */
export const AgentTable = z.strictObject({
  name: z.string().exactOptional().describe("Without effect: the table's name is the agent's"),
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
    .union([z.literal(true), z.enum(acpPresetNames)], {
      error({ input }) {
        const near = typeof input === 'string' ? suggest(input, acpPresetNames) : null;
        const names = acpPresetNames.map((name) => `'${name}'`).join(', ');
        return `expected true or one of ${names}${near === null ? '' : `; did you mean '${near}'?`}`;
      },
    })
    .exactOptional()
    .describe('It speaks the Agent Client Protocol: true, or the agent that is known to be it'),
  mode: nonBlank('the id of a session mode').exactOptional().describe('Agents that speak ACP only: the session mode'),
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

/** Settings that only custom agents have. A built-in agent's adapter determines them itself. */
const OF_COMMANDS = ['prompt', 'output', 'version_command', 'free', 'module', 'acp'] as const;
/** Settings of agents that speak ACP. */
const OF_ACP = ['mode', 'options'] as const;
/** Settings of programs, which agents in the agent host do not have. */
const OF_PROGRAMS = ['command', 'args', 'prompt', 'output', 'version_command', 'auth', 'acp', ...OF_ACP] as const;

/** The built-in agents that can use a login. */
const withLogin = adapterNames.filter(
  (name) => !adaptersWithoutProgram.includes(name) && !acpAgentNames.includes(name),
);

/** Finds problems of an agent's table as a whole: missing keys, and keys that do not apply to this agent. */
function tableProblems(name: string, table: object): { key: string; message: string }[] {
  const values = table as Record<string, unknown>;
  // `args` is empty by default
  const given = (key: string): boolean =>
    Object.hasOwn(table, key) && !(Array.isArray(values[key]) && values[key].length === 0);
  if (name !== 'loop' && given('context_tokens'))
    return [{ key: 'context_tokens', message: 'only for loop, which asks the model itself' }];
  if (adaptersWithoutProgram.includes(name))
    return [...OF_PROGRAMS, 'module'].filter(given).map((key) => ({
      key,
      message: `cannot be set for ${name}, which only has models, env and free`,
    }));
  if (given('module'))
    return OF_PROGRAMS.filter(given).map((key) => ({
      key,
      message: 'cannot be set for an agent with a module, which only has models, env and free',
    }));
  const isBuiltIn = adapterNames.includes(name);
  const speaksAcp = isBuiltIn ? acpAgentNames.includes(name) : given('acp');
  const ofAcp = speaksAcp
    ? []
    : OF_ACP.filter(given).map((key) => ({ key, message: 'only for agents that speak ACP: add acp = true' }));
  if (isBuiltIn)
    return [
      ...OF_COMMANDS.filter(given).map((key) => ({
        key,
        message: `cannot be set for ${name}, which is built in; choose another name for your own agent`,
      })),
      ...(speaksAcp && given('auth')
        ? [{ key: 'auth', message: `cannot be set for ${name}, which only uses a key` }]
        : []),
      ...ofAcp,
    ];
  const isKnown = given('acp') && values['acp'] !== true;
  const { args } = values;
  const namesFile = speaksAcp && Array.isArray(args) && args.some((arg) => String(arg).includes('{prompt_file}'));
  return [
    ...ofAcp,
    ...(namesFile
      ? [{ key: 'args', message: 'without {prompt_file}: the prompt of an agent that speaks ACP is in no file' }]
      : []),
    ...(speaksAcp
      ? (['prompt', 'output'] as const).filter(given).map((key) => ({
          key,
          message: 'cannot be set for an agent that speaks ACP, which determines this',
        }))
      : []),
    ...(given('command') || isKnown ? [] : [{ key: 'command', message: 'missing: expected the program to start' }]),
    ...(given('auth')
      ? [
          {
            key: 'auth',
            message: `only for ${withLogin.join(', ')}`,
          },
        ]
      : []),
  ];
}

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
      for (const { key, message } of tableProblems(name, table))
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
