/** How users call this program: if npx or an npm script started it, it is not on PATH. */
export const invocation = (): string =>
  (process.env['npm_command'] ?? '') === '' ? 'llm-tool-test' : 'npx --no llm-tool-test';

/** Formats one of our commands for a message, in code quotes, so that it can be copied. */
export const ownCommand = (words: string): string => `\`${invocation()} ${words}\``;
