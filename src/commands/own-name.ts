/** How this program is called here: what npx or a script of npm has started is not on PATH. */
export const ownName = (process.env['npm_command'] ?? '') === '' ? 'llm-tool-test' : 'npx llm-tool-test';

/** A command of ours, in a message: in code quotes, so that it can be copied. */
export const ownCommand = (words: string): string => `\`${ownName} ${words}\``;
