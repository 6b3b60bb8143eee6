import { z } from 'zod';
import { always, cleanText, inSchema, judgeName, label, type Loaded, nonBlank } from '#input';
import { MAX_CONCURRENCY, variableNames } from '#lib';
import { Price } from '#model';
import { AgentTable, modelNames, registryProblems, tableProblems } from './agent-table.js';
import { loadToml } from './load-toml.js';
import { Target } from './target.js';

const agentNames = z.array(label('the name of an agent')).default([]);
const monthUsd = z.number().min(0);
const places = z.int().min(1).max(MAX_CONCURRENCY);

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
