import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts these first: a long file that starts last keeps everyone waiting. Measured on two cores. */
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
 * The order of the files: those that need a server first, since they mostly wait. Files of one project follow each other,
 * since vitest ends a worker whose next file is of another one, and with it what its files share.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // by what the last run took, or else by size
    const inProject = (name: string): TestSpecification[] =>
      sorted.filter(({ project }) => project.name === name);
    return ['temporal', 'plain'].flatMap((name) => inProject(name).sort((a, b) => rank(a) - rank(b)));
  }
}
