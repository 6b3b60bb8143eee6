import { posix } from 'node:path';
import { z } from 'zod';
import { check, type Loaded, nonBlank, type ProblemAt, type Source } from '#input';
import { defined, isMap, type Problem } from '#lib';
import { StoredServer, type StoredSubject, type SubjectFile } from '#subjects';
import { loadFrontMatter } from './load-skill.js';
import { parseYaml } from './load-yaml.js';

export const PLUGIN_MANIFEST = '.claude-plugin/plugin.json';

/** Its name is that of a folder, and the first part of the names of all that it has. */
const name = z
  .string({ error: ({ input }) => (input === undefined ? 'missing: expected the name of the plugin' : undefined) })
  .regex(/^[A-Za-z0-9][\w-]{0,63}$/, 'expected letters, digits and hyphens, at most 64, like "office-tools"');
const path = nonBlank('a path in the plugin').regex(
  /^\.\/(?!(.*\/)?\.\.(\/|$))/,
  'expected a path in the plugin that begins with ./',
);
const paths = z.union([path.transform((one) => [one]), z.array(path)]);

const Hooks = z.record(z.string(), z.array(z.looseObject({ hooks: z.array(z.looseObject({ type: z.string() })) })));
const HooksFile = z.looseObject({ hooks: Hooks });

const text = z.string().refine((value) => !/\$\{\w+:-/.test(value), {
  error: '${NAME:-default} is not supported for servers under test; write ${NAME}, and set the variable',
});
const Server = z
  .strictObject({
    type: z
      .enum(['stdio', 'http', 'streamable-http'], 'expected stdio or http; other servers cannot be tested')
      .exactOptional(),
    command: text.exactOptional(),
    args: z.array(text).exactOptional(),
    env: z.record(z.string(), text).exactOptional(),
    url: text.exactOptional(),
    headers: z.record(z.string(), text).exactOptional(),
    description: z.string().exactOptional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'expected either command or url');
const Servers = z.record(z.string().regex(/^[\w-]+$/), Server);
/** `.mcp.json` has the servers under this key, or nothing but them. */
const ServersFile = z.looseObject({ mcpServers: Servers });

/** `.claude-plugin/plugin.json`. Claude Code ignores other fields. */
const Manifest = z.looseObject({
  name,
  commands: paths.exactOptional(),
  agents: paths.exactOptional(),
  skills: paths.exactOptional(),
  hooks: z.union([paths, Hooks, HooksFile]).exactOptional(),
  mcpServers: z.union([paths, Servers]).exactOptional(),
  experimental: z.looseObject({ evals: z.string().exactOptional() }).exactOptional(),
});
export type PluginManifest = z.infer<typeof Manifest>;

/** Checks the manifest of a plugin of Claude Code. */
export const loadManifest = (file: string, raw: string): Loaded<PluginManifest> => loadJson(Manifest, file, raw);

/** A plugin as it is stored, with its MCP servers, which are subjects of their own. */
export type LoadedPlugin =
  | { ok: true; plugin: Extract<StoredSubject, { kind: 'plugin' }>; servers: StoredServer[] }
  | { ok: false; problems: Problem[] };

/**
 * Finds what a plugin consists of, by the rules of Claude Code 2.1.330: `commands` and `agents` in the manifest replace
 * the folders of these names, `skills`, `hooks` and `mcpServers` are added. `nameOf`: the name of a file for problems.
 */
export function loadPlugin(
  { manifest, problemAt }: { manifest: PluginManifest; problemAt: ProblemAt },
  files: readonly SubjectFile[],
  nameOf: (path: string) => string,
): LoadedPlugin {
  const problems: Problem[] = [];
  const texts = new Map(files.map((file) => [file.path, file.base64 === true ? null : file.content]));
  const below = (folder: string): string[] =>
    [...texts.keys()].filter((one) => folder === '.' || one.startsWith(`${folder}/`));
  /** The paths that the manifest names in a field, without those that are not there. */
  const named = (field: 'commands' | 'agents' | 'skills' | 'hooks' | 'mcpServers'): string[] => {
    const value = manifest[field];
    return (Array.isArray(value) ? value : []).flatMap((written, index) => {
      const at = posix.join(written).replace(/\/$/, '');
      if (texts.has(at) || below(at).length > 0) return [at];
      problems.push(problemAt([field, index], `the plugin has no '${written}'`));
      return [];
    });
  };
  const readJson = <S extends z.ZodType>(schema: S, at: string): z.output<S> | null => {
    const loaded = loadJson(schema, nameOf(at), texts.get(at) ?? '');
    if (!loaded.ok) problems.push(...loaded.problems);
    return loaded.ok ? loaded.value : null;
  };
  const serversIn = (at: string): z.infer<typeof Servers> =>
    (/"mcpServers"\s*:/.test(texts.get(at) ?? '') ? readJson(ServersFile, at)?.mcpServers : readJson(Servers, at)) ??
    {};
  /** The front matter of a Markdown file, which may have none. */
  const readFront = (at: string): Record<string, unknown> => {
    const content = texts.get(at) ?? '';
    if (!/^\uFEFF?---\s*$/m.test(content.split('\n', 1)[0] ?? '')) return {};
    const loaded = loadFrontMatter(z.looseObject({}), nameOf(at), content);
    if (!loaded.ok) problems.push(...loaded.problems);
    return loaded.ok ? loaded.value : {};
  };
  /** Markdown files, with the names that follow from their places: `sub:deep` for `sub/deep.md`. */
  const markdown = (places: readonly string[]): { at: string; parts: string[] }[] =>
    places.flatMap((place) =>
      (texts.has(place) ? [place] : below(place))
        .filter((at) => at.endsWith('.md'))
        .map((at) => ({
          at,
          parts: (at === place ? posix.basename(at) : posix.relative(place, at)).slice(0, -3).split('/'),
        })),
    );
  const skillFiles = ['skills', ...named('skills')].flatMap((place) =>
    below(place).filter(
      (at) => posix.basename(at) === 'SKILL.md' && /^[^/]+(\/[^/]+)?$/.test(posix.relative(place, at)),
    ),
  );
  const prefixed = (parts: readonly string[]): string => [manifest.name, ...parts].join(':');
  const commands = markdown(manifest.commands === undefined ? ['commands'] : named('commands'));
  const agents = markdown(manifest.agents === undefined ? ['agents'] : named('agents'));
  for (const { at } of [...skillFiles.map((one) => ({ at: one })), ...commands]) readFront(at);
  const subagents = agents.map(({ at, parts }) => {
    const own = readFront(at)['name'];
    return prefixed([...parts.slice(0, -1), typeof own === 'string' ? own : (parts.at(-1) ?? '')]);
  });

  const inManifest = isMap(manifest.hooks) ? manifest.hooks : {};
  const hookFiles = [...(texts.has('hooks/hooks.json') ? ['hooks/hooks.json'] : []), ...named('hooks')];
  const hooks = [
    ...hookFiles.map((at) => readJson(HooksFile, at)?.hooks ?? {}),
    isMap(inManifest['hooks']) ? inManifest['hooks'] : inManifest,
  ].flatMap(Object.keys);

  const serverFiles = [...(texts.has('.mcp.json') ? ['.mcp.json'] : []), ...named('mcpServers')];
  const servers = [
    ...serverFiles.map((at) => serversIn(at)),
    isMap(manifest.mcpServers) ? manifest.mcpServers : {},
  ].flatMap((found) => Object.entries(found).map(([key, server]) => storedServer(manifest.name, key, server)));

  if (problems.length > 0) return { ok: false, problems };
  const skills = [
    ...skillFiles.map((at) => prefixed([posix.basename(posix.dirname(at))])),
    ...commands.map(({ parts }) => prefixed(parts)),
  ];
  return {
    ok: true,
    plugin: {
      kind: 'plugin',
      name: manifest.name,
      files: [...files],
      skills: [...new Set(skills)],
      subagents: [...new Set(subagents)],
      hooks: [...new Set(hooks)],
    },
    servers,
  };
}

const storedServer = (
  plugin: string,
  key: string,
  { command, args, env, url, headers }: z.infer<typeof Server>,
): StoredServer => ({
  name: `plugin:${plugin}:${key}`,
  plugin,
  ...defined({ command, args, env, url, headers }),
});

/** Parses JSON and checks it against a zod schema. Never throws: every error is a problem with line and column. */
function loadJson<S extends z.ZodType>(schema: S, file: string, raw: string): Loaded<z.output<S>> {
  const text = raw.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(text);
    // JSON is YAML, whose parser knows where everything is.
    const { source } = parseYaml(file, text);
    const nouns = { map: 'an object', list: 'an array' };
    const placed: Source = { file, value, nouns, locate: (path, side) => source?.locate(path, side) ?? null };
    return check(schema, placed);
  } catch (error) {
    const { message } = error as Error;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    const at = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
    return {
      ok: false,
      problems: [{ file, ...at, path: '', message: `no JSON: ${message.replace(/ in JSON.*/s, '')}` }],
    };
  }
}
