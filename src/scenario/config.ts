import { z } from 'zod';
import { command, nonBlank } from '../gates/fields.js';
import { variableNames } from '../lib/interpolate.js';
import { always, cleanText, environmentVariables, label, modelName } from './fields.js';
import { loadToml } from './load-toml.js';
import type { Loaded } from './source.js';
import { Target } from './target.js';

const agentNames = z.array(label('the name of an agent')).default([]);
const modelNames = z.array(label('the name of a model')).default([]);
const places = z.int().min(1);
const price = z.number().min(0);

/** An agent of the user's own: a command that takes a prompt. Exit 0 means that it completed. */
export const CommandAgent = z.strictObject({
  /** For the seed's sake; the table's name is the agent's name. */
  name: z.string().exactOptional(),
  command: nonBlank('the program to start'),
  args: z.array(z.string()).default([]),
  /** How the prompt gets there: as the last argument, on stdin, or in a file whose path is the last argument. */
  prompt: z.enum(['arg', 'stdin', 'file']).default('arg'),
  output: z.enum(['text', 'jsonl']).default('text'),
  models: modelNames,
  version_command: command.exactOptional(),
  /** Costs nothing, so it runs without LLM_TOOL_TEST_ENABLED. */
  free: z.boolean().default(false),
  env: environmentVariables.default({}),
});
export type CommandAgent = z.infer<typeof CommandAgent>;

/** An OpenAI-compatible address, for models named `<the table's name>/<model>`. `${NAME}` stands for variables. */
export const Provider = z.strictObject({
  base_url: nonBlank('the address of the provider')
    .refine((text) => /^https?:\/\/|^\$\{/.test(text), {
      error: 'expected an address like "http://127.0.0.1:8000/v1"',
    })
    .describe('Address of an OpenAI-compatible API; ${NAME} stands for a variable'),
  api_key: nonBlank('a variable like "${NAME}"')
    .refine((text) => variableNames(text).length > 0, {
      error: 'expected a variable like "${NAME}": plans keep this text, a key belongs into the shell',
    })
    .exactOptional()
    .describe('Key, as "${NAME}"'),
  free: z.boolean().default(false).describe('It costs nothing, so it is asked without LLM_TOOL_TEST_ENABLED'),
});
export type Provider = z.infer<typeof Provider>;

const providerName = z.string().refine((name) => /^[\w.-]+$/.test(name), {
  error: 'expected a name of letters, digits, "-", "_" and "."',
});

const Profile = z.strictObject({
  name: z.string().exactOptional(),
  agents: agentNames,
  tools: agentNames,
  models: modelNames,
});

/** US dollars for a million tokens; what is not written is not known. */
const Price = z.strictObject({
  input_per_mtok: price,
  output_per_mtok: price,
  cache_read_per_mtok: price.exactOptional(),
  cache_write_per_mtok: price.exactOptional(),
});
type Price = z.infer<typeof Price>;

const agentTable = z.record(label('the name of an agent'), CommandAgent).default({});

/** `llm-tool-test-config.toml`: `tools` is the seed's word for `agents`, and is merged into it. */
export const Config = z
  .strictObject({
    results_path: nonBlank('the path of the results folder').default('llm-tool-test-results'),
    fixtures_path: nonBlank('the path of the fixtures folder').default('fixtures'),
    agents: agentTable,
    tools: agentTable,
    profiles: z.record(label('the name of a profile'), Profile).default({}),
    target: Target.exactOptional(),
    judge: z
      .strictObject({ model: modelName.describe('The model that judges, where a scenario names none') })
      .exactOptional()
      .describe('The judge of scenarios that have one'),
    providers: z
      .record(providerName, Provider)
      .default({})
      .describe('Providers of models by name, beside the built-in ones'),
    prices: z.record(label('the name of a model'), Price).default({}),
    limits: z
      .strictObject({
        concurrency: places.exactOptional(),
        agents: z.record(z.string(), places).default({}),
        models: z.record(z.string(), places).default({}),
      })
      .prefault({}),
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

/** Reads a config file; paths in it are left as written. */
export const parseConfig = (file: string, text: string): Loaded<Config> => loadToml(Config, file, text);

/** What holds where there is no config file. */
export const defaultConfig: Config = Config.parse({});
