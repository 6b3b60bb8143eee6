import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These files start first: a long file that starts last delays the whole run. Measured on two cores. */
const LONGEST = [
  'chaos/kill-worker',
  'workflows/sweep-histories',
  'commands/broken-places',
  'chaos/attacks-manifests',
  'workflows/scheduler-properties',
  'commands/scripts',
  'commands/context',
  'commands/steer',
  'commands/signals',
  'agent-scripts/contract',
  'lib/redact',
  'platform/process/supervise-end',
  'agent-scripts/wrapped',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return found === -1 ? LONGEST.length : found;
};

/**
 * The order of the files: those that need a server come first, since they mostly wait. Files of one project stay
 * together, since vitest ends a worker when its next file belongs to another project, and with it what its files share.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // by their durations in the last run, or else by size
    const inProject = (name: string): TestSpecification[] =>
      sorted.filter(({ project }) => project.name === name);
    return ['temporal', 'plain'].flatMap((name) => inProject(name).sort((a, b) => rank(a) - rank(b)));
  }
}
