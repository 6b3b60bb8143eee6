import { PLACEHOLDERS } from '../agents/command.js';
import { formatProblem } from '../lib/errors/problem.js';
import { suggest } from '../lib/suggest.js';
import type { Project } from './project.js';

/**
 * Returns a warning for each word in braces in the arguments of a custom agent that is almost a placeholder: it would be
 * passed on as it is. Other words in braces may be meant for the agent.
 */
export function placeholderWarnings({ config, configSource }: Project): string[] {
  if (configSource === null) return [];
  return Object.entries(config.agents).flatMap(([name, { args }]) =>
    args.flatMap((arg, index) =>
      [...arg.matchAll(/\{([\w-]+)\}/g)].flatMap(([whole, word = '']) => {
        const near = PLACEHOLDERS.some((known) => known === word) ? null : suggest(word, PLACEHOLDERS);
        if (near === null) return [];
        const message = `'${whole}' is not a placeholder and is passed on as it is; did you mean '{${near}}'?`;
        return [
          `warning: ${formatProblem(configSource.problemAt(['agents', name, 'args', index], message))}`,
        ];
      }),
    ),
  );
}
