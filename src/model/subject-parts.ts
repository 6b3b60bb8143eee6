import { canonicalJson, isJsonObject, type Json } from '#lib';

/** A part of what a scenario tests besides its program, as people call it, and its whole content, for comparisons. */
export interface SubjectPart {
  name: string;
  content: string;
  isServer: boolean;
}

/** Returns the parts of a stored subject: "skill pdf", "instructions", "plugin office", "MCP server files". */
export const subjectParts = (subject: Json | undefined): SubjectPart[] =>
  (Array.isArray(subject) ? subject : []).map((part) => ({
    name: nameOf(isJsonObject(part) ? part : {}),
    content: canonicalJson(part),
    isServer: isJsonObject(part) && part['kind'] === 'mcp',
  }));

function nameOf({ kind, name, server }: Record<string, Json>): string {
  if (kind === 'mcp') return `MCP server ${textOf(isJsonObject(server) ? server['name'] : undefined)}`;
  return kind === 'skill' || kind === 'plugin' ? `${kind} ${textOf(name)}` : textOf(kind);
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Returns the names of the parts that one subject has and another lacks, or has with another content. */
export const partsOnlyIn = (one: readonly SubjectPart[], other: readonly SubjectPart[]): string[] =>
  one.filter(({ content }) => other.every((part) => part.content !== content)).map(({ name }) => name);
