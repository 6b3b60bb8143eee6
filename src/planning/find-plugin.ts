import { apartFrom } from '#environments';
import { join } from 'node:path';
import { displayPath } from '#host';
import { UsageError } from '#lib';
import { loadManifest, loadPlugin, PLUGIN_MANIFEST, type Scenario } from '#scenario';
import { isFile, isFolder, loadText } from './file-checks.js';
import { pathsIn } from './left-out.js';
import { filesInSubject, type FoundPart, type Secret } from './subject-folder.js';

/** A plugin by itself: the names of its parts, and its folder with cases. @throws UsageError with its problems */
export async function openPlugin(
  path: string,
): Promise<{ plugin: { name: string; skills: string[]; subagents: string[] }; evals: string | undefined }> {
  const texts = new Map<string, string>();
  const none = { judging: [], folders: [] };
  const found = await readPlugin(path, displayPath(path), texts, none, { environment: { type: 'local' } });
  if ('message' in found) throw new UsageError('usage', found.message);
  if ('problems' in found)
    throw new UsageError('scenario_invalid', `${displayPath(path)} is not valid`, found.problems, texts);
  if (found.part.kind !== 'plugin') throw new Error('no plugin was read');
  const { name, skills, subagents } = found.part;
  const manifest = loadManifest(PLUGIN_MANIFEST, texts.get(displayPath(join(path, PLUGIN_MANIFEST))) ?? '');
  return { plugin: { name, skills, subagents }, evals: manifest.ok ? manifest.value.experimental?.evals : undefined };
}

/** Reads a plugin of Claude Code, with its MCP servers as further parts. */
export async function readPlugin(
  path: string,
  written: string,
  texts: Map<string, string>,
  secret: Secret,
  { environment }: Pick<Scenario, 'environment'>,
): Promise<FoundPart> {
  if (!isFolder(path))
    return {
      message: `plugin folder '${written}' ${isFile(path) ? 'is a file; name the folder' : 'was not found; paths are relative to the scenario file'}`,
    };
  const nameOf = (file: string): string => displayPath(join(path, file));
  const read = loadText(join(path, PLUGIN_MANIFEST));
  if (!read.ok)
    return {
      message: isFile(join(path, PLUGIN_MANIFEST))
        ? `${PLUGIN_MANIFEST} of '${written}' cannot be read: ${read.reason}`
        : `the folder '${written}' has no ${PLUGIN_MANIFEST}, so it is no plugin of Claude Code`,
    };
  texts.set(nameOf(PLUGIN_MANIFEST), read.text);
  const manifest = loadManifest(nameOf(PLUGIN_MANIFEST), read.text);
  if (!manifest.ok) return { problems: manifest.problems };
  const { experimental: { evals } = {} } = manifest.value;
  const judging = pathsIn(path, secret.judging);
  if (judging.includes(''))
    return { message: `${written} is a plugin, and what judges the agent; move one of them out of the other` };
  const found = await filesInSubject('plugin', path, [
    ...judging,
    ...pathsIn(path, secret.folders),
    ...(evals === undefined ? [] : [join(evals).replace(/\/$/, '')]),
  ]);
  if (typeof found === 'string') return { message: found };
  const loaded = loadPlugin({ manifest: manifest.value, problemAt: manifest.problemAt }, found.files, nameOf);
  if (!loaded.ok) {
    for (const { path: file, content, base64 } of found.files) if (base64 !== true) texts.set(nameOf(file), content);
    return { problems: loaded.problems };
  }
  const [server] = loaded.servers;
  if (server !== undefined && apartFrom(environment) !== null)
    return {
      message: `the plugin has the MCP server ${server.name}, and MCP servers cannot be tested in environment.type ${environment.type}: the proxy that records calls runs on this machine; use local or bubblewrap`,
    };
  return {
    part: loaded.plugin,
    more: loaded.servers.map((one) => ({ kind: 'mcp', server: one })),
    path,
    leftOut: found.leftOut,
  };
}
