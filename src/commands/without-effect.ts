import type { Project } from './project.js';

/** Settings that are read and checked, and that nothing acts on yet: said, so that nobody relies on them. */
export function withoutEffect({ config }: Project): string[] {
  const some = (what: string, is: boolean): string[] => (is ? [`${what} has no effect in this version`] : []);
  return [
    ...some('[limits.agents]', Object.keys(config.limits.agents).length > 0),
    ...some('[limits.models]', Object.keys(config.limits.models).length > 0),
    ...some('[prices]', Object.keys(config.prices).length > 0),
  ];
}
