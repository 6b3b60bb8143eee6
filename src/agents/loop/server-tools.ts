import { type Json, parseJson } from '#lib';
import type { ServerAnswer, ServerTool } from '../mcp-client.js';
import type { mcpSettings } from '../subject-files.js';
import { type ToolOutput, type ToolResult, failedCall, shortened } from './tools.js';

/** The argument of servers-program.js. */
export interface ServersFile {
  servers: NonNullable<ReturnType<typeof mcpSettings>>;
  /** The socket by which calls are asked for. Once it is removed, the program ends. */
  socket: string;
  /** The socket by which it learns that the proxy has ended, without which it is of no use. */
  presence: string;
}

/** A call of a tool of an MCP server. */
export interface ServerCall {
  server: string;
  tool: string;
  input: Json;
}

/** Providers accept no longer names of tools, and no other characters. */
const NAME_LENGTH = 64;
const FOREIGN = /[^a-zA-Z0-9_-]/g;

/** Returns the tools of servers by the names under which a model is offered them, as other agents name them. */
export function nameServerTools(tools: readonly ServerTool[]): Map<string, ServerTool> {
  const named = new Map<string, ServerTool>();
  for (const each of tools) {
    const { server, tool } = each;
    const names = [`mcp__${server}__${tool}`, `${server}__${tool}`, tool].map((name) => name.replace(FOREIGN, '_'));
    const name = names.find(({ length }) => length <= NAME_LENGTH) ?? (names[0] ?? '').slice(0, NAME_LENGTH);
    let free = name;
    for (let n = 2; named.has(free); n += 1) free = `${name.slice(0, NAME_LENGTH - 4)}_${n}`;
    named.set(free, each);
  }
  return named;
}

/** Reads what a call of servers-program.js has printed. */
export function answerOfServer({ stdout, stopped }: ToolOutput, timeoutSecs: number): ToolResult {
  if (stopped) return failedCall('', `the server gave no answer within ${timeoutSecs} s`);
  const answer = parseJson(stdout);
  if (!isAnswer(answer)) return failedCall('', 'the connection to the server was lost');
  const { isError, text } = answer;
  return { ...shortened(text === '' ? '(no output)' : text), exitCode: null, isError };
}

const isAnswer = (value: unknown): value is ServerAnswer =>
  typeof value === 'object' &&
  value !== null &&
  'text' in value &&
  typeof value.text === 'string' &&
  'isError' in value;
