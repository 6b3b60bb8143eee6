/** How this program is called here: a program that npx or an npm script has started is not on PATH. */
export const invocation = (process.env['npm_command'] ?? '') === '' ? 'llm-tool-test' : 'npx llm-tool-test';

/** A command of ours in a message, in code quotes, so that it can be copied. */
export const ownCommand = (words: string): string => `\`${invocation} ${words}\``;
