import { interpolate } from '#lib';
import { type McpConnection, type McpServer, mcpServersOf, type StoredSubject } from '#subjects';

/**
 * Fills in the values of variables. Preparing the run has refused variables without a value. `base`: the variables that
 * every program of the run gets.
 */
export function connectionOf(
  { command, args = [], env = {}, url = '', headers = {} }: McpServer,
  base: Record<string, string>,
  values: Record<string, string>,
): McpConnection {
  const fill = (text: string): string => {
    const filled = interpolate(text, values);
    return filled.ok ? filled.text : '';
  };
  const fillAll = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  return command === undefined
    ? { url: fill(url), headers: fillAll(headers) }
    : { command, args: args.map(fill), env: { ...base, ...fillAll(env) } };
}

/** The arguments and variables of a program under test, which may be addresses. A server that has an address itself is reached by the proxy alone. */
export const mcpAddresses = (
  subject: readonly StoredSubject[] | undefined,
  values: Record<string, string>,
): string[] =>
  mcpServersOf(subject).flatMap((server) => {
    const connection = connectionOf(server, {}, values);
    return 'url' in connection ? [] : Object.values(connection.env);
  });
