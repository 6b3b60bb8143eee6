import { join } from 'node:path';
import { assertNever } from '#lib';
import type { Agent, AgentRequest, LaunchFile } from './agent.js';

/**
 * The files that give an agent the subject of its run. Several instructions are one file, in their order.
 * @throws if the agent cannot be given it; planning has refused that
 */
function subjectFiles(
  { name, subject: places }: Pick<Agent, 'name' | 'subject'>,
  request: Pick<AgentRequest, 'home' | 'config' | 'subject'>,
): LaunchFile[] {
  const { subject = [] } = request;
  const files = subject.flatMap((part): LaunchFile[] => {
    if (part.kind === 'mcp') return []; // `launch` puts them into the agent's own settings
    if (typeof places === 'string') throw new Error(`${name} cannot be given a subject: ${places}`);
    switch (part.kind) {
      case 'skill':
        return part.files.map(({ path, ...file }) => ({
          ...file,
          path: join(places.skill(request), part.name, path),
        }));
      case 'plugin': {
        if (places.plugin === undefined) throw new Error(`${name} cannot be given plugins`);
        const folder = join(places.plugin(request), part.name);
        return part.files.map(({ path, ...file }) => ({ ...file, path: join(folder, path) }));
      }
      case 'instructions':
        return [{ path: places.instructions(request), content: part.text }];
      default:
        return assertNever(part);
    }
  });
  return joined(files);
}

/** The files of a launch, after those of the subject. Files with the same path become one: subject first. */
export const withSubject = (
  agent: Pick<Agent, 'name' | 'subject'>,
  request: Pick<AgentRequest, 'home' | 'config' | 'subject'>,
  files: readonly LaunchFile[],
): LaunchFile[] => joined([...subjectFiles(agent, request), ...files]);

/** Texts with the same path become one. */
function joined(files: readonly LaunchFile[]): LaunchFile[] {
  const byPath = new Map<string, LaunchFile>();
  for (const file of files) {
    const before = byPath.get(file.path);
    byPath.set(
      file.path,
      before === undefined ? file : { ...before, content: `${before.content.trimEnd()}\n\n${file.content}` },
    );
  }
  return [...byPath.values()];
}

/**
 * The MCP servers under test in the form that most agents share: by name, with command, arguments and variables. Null
 * if there are none.
 */
export function mcpSettings({
  mcpServers = [],
}: Pick<AgentRequest, 'mcpServers'>): Record<
  string,
  { command: string; args: string[]; env: Record<string, string> }
> | null {
  if (mcpServers.length === 0) return null;
  return Object.fromEntries(mcpServers.map(({ name, ...program }) => [name, program]));
}
