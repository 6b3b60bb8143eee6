import { z } from 'zod';
import { environmentVariables, inSchema, nonBlank } from '#input';
import { referredNames, variableNames } from '#lib';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_NAME = 32;

/** Agents make the names of tools from it, as in `mcp__files__read_file`. */
const serverName = inSchema(
  z
    .string({
      error: ({ input }) => (input === undefined ? 'missing: expected a name for the server' : undefined),
    })
    .refine((name) => NAME.test(name) && name.length <= LONGEST_NAME, {
      error: `expected at most ${LONGEST_NAME} lower-case letters, digits and single hyphens between them, like "files"`,
    }),
  /^(?=.{1,32}$)[a-z0-9]+(-[a-z0-9]+)*$/,
);

const url = z
  .string()
  .refine((text) => /^(https?:\/\/|\$\{)/.test(text), {
    error: 'expected an address like "https://example.com/mcp", or a variable that has it, like "${MCP_URL}"',
  })
  .describe('Address of a server that speaks streamable HTTP; ${NAME} is that variable of the shell');

const header = /^[\w!#$%&'*+.^`|~-]+$/;

const fields = z.strictObject({
  name: serverName.describe('Name by which agents and gates know the server'),
  command: nonBlank('the program of the server')
    .exactOptional()
    .describe('Program that speaks stdio: a name on PATH, or a path relative to the scenario file'),
  args: z
    .array(z.string())
    .exactOptional()
    .describe('Its arguments; ${NAME} is that variable of the shell, and is kept secret'),
  env: environmentVariables.exactOptional(),
  url: url.exactOptional(),
  headers: z
    .record(z.string().regex(header, 'expected the name of a header, like authorization'), z.string())
    .exactOptional()
    .describe('Headers of each request; ${NAME} is that variable of the shell, and is kept secret'),
});

/** An MCP server under test: a program that speaks stdio, or an address that speaks streamable HTTP. */
export const McpServer = fields
  .superRefine((server, context) => {
    const { command, url } = server;
    const problem = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if ((command === undefined) === (url === undefined))
      problem([], `expected either command or url; got ${command === undefined ? 'neither' : 'both'}`);
    else
      for (const field of command === undefined ? (['args', 'env'] as const) : (['headers'] as const))
        if (server[field] !== undefined)
          problem([field], `belongs to ${command === undefined ? 'command' : 'url'}; leave it out`);
  })
  .meta({
    oneOf: [
      { required: ['command'], not: { required: ['headers'] } },
      { required: ['url'], not: { anyOf: [{ required: ['args'] }, { required: ['env'] }] } },
    ],
  });
export type McpServer = z.infer<typeof McpServer>;

/** A server as it is stored. That of a plugin has its name in Claude Code, as in `plugin:office:desk`. */
export const StoredServer = fields.extend({ name: z.string(), plugin: z.string().exactOptional() });
export type StoredServer = z.infer<typeof StoredServer>;

/** The variables that Claude Code gives to the servers of a plugin: the folder of the plugin, and the workspace. */
export const PLUGIN_VARIABLES = { root: 'CLAUDE_PLUGIN_ROOT', project: 'CLAUDE_PROJECT_DIR' } as const;

/** The names of the variables to which a server refers. In that of a plugin, `command` may contain them too. */
export function variablesOfServer(server: StoredServer): string[] {
  const { plugin, command = '', args = [], env = {}, url = '', headers = {} } = server;
  const names = [...[url, ...args].flatMap(variableNames), ...[env, headers].flatMap(referredNames)];
  if (plugin === undefined) return names;
  const given: readonly string[] = Object.values(PLUGIN_VARIABLES);
  return [...variableNames(command), ...names].filter((name) => !given.includes(name));
}
