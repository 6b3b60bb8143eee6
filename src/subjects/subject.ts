import { z } from 'zod';
import { nonBlank } from '#input';
import { McpServer, StoredServer, variablesOfServer } from './mcp/mcp-server.js';

/*
 * The subject of a scenario: skills, instructions, plugins and MCP servers that the agent is given. `Subject` is what a
 * file says, `StoredSubject` what is installed: it contains the files, so that the hash of the stored scenario covers
 * them.
 */

/** Files of a skill, of a plugin and of instructions may have this many bytes together: a plan contains them. */
export const SUBJECT_BYTES = 1024 * 1024;

const Part = z
  .strictObject({
    skill: nonBlank('the path of a skill folder')
      .exactOptional()
      .describe('Folder of an Agent Skill, with its SKILL.md; relative to the scenario file'),
    instructions: nonBlank('the path of a file of instructions')
      .exactOptional()
      .describe('File like AGENTS.md that the agent reads in every session; relative to the scenario file'),
    plugin: nonBlank('the path of a plugin folder')
      .exactOptional()
      .describe(
        'Folder of a plugin of Claude Code, with its .claude-plugin/plugin.json; relative to the scenario file',
      ),
    mcp: McpServer.exactOptional().describe('MCP server whose tools the agent can call'),
  })
  .refine((part) => Object.keys(part).length > 0, {
    error: 'nothing is named: expected skill, instructions, plugin or mcp',
  })
  .meta({ minProperties: 1 });

/** `subject`: one part or a list of them. */
export const Subject = z.union([Part, z.array(Part)]);
export type Subject = z.infer<typeof Subject>;

/** The subject of a scenario, as a list. */
export const Subjects = z.array(Part);
export type Subjects = z.infer<typeof Subjects>;

const SubjectFile = z.object({
  /** Relative to the skill's folder. */
  path: z.string(),
  content: z.string(),
  /** Set if `content` is base64, because the file is not text. */
  base64: z.literal(true).exactOptional(),
  executable: z.literal(true).exactOptional(),
});
export type SubjectFile = z.infer<typeof SubjectFile>;

export const StoredSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('skill'), name: z.string(), files: z.array(SubjectFile) }),
  z.object({ kind: z.literal('instructions'), text: z.string() }),
  z.object({
    kind: z.literal('plugin'),
    name: z.string(),
    files: z.array(SubjectFile),
    /** The names by which Claude Code knows its skills and commands, its subagents, and the events of its hooks. */
    skills: z.array(z.string()),
    subagents: z.array(z.string()),
    hooks: z.array(z.string()),
  }),
  z.object({ kind: z.literal('mcp'), server: StoredServer }),
]);
export type StoredSubject = z.infer<typeof StoredSubject>;

/** The kinds of subject that are files; each agent says where it finds them. */
export type SubjectKind = Exclude<StoredSubject['kind'], 'mcp'>;

/** The MCP servers in a subject. `command` with a folder in it is an absolute path. */
export const mcpServersOf = (subject: readonly StoredSubject[] | undefined): StoredServer[] =>
  (subject ?? []).flatMap((part) => (part.kind === 'mcp' ? [part.server] : []));

/** The names of the skills in a subject, and of skills and commands of its plugins, as in `office:stamp`. */
export const skillsOfSubject = (subject: readonly StoredSubject[] | undefined): string[] =>
  (subject ?? []).flatMap((part) => (part.kind === 'skill' ? part.name : part.kind === 'plugin' ? part.skills : []));

/** The names of the variables to which a subject refers. */
export const variablesOfSubject = (subject: readonly StoredSubject[] | undefined): string[] =>
  mcpServersOf(subject).flatMap(variablesOfServer);

/** The names of the two variants that `baseline` makes of a scenario. */
export const WITH = 'with';
export const WITHOUT = 'without';
