import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** It takes longer than any other fast test: were it not the first, all other workers would wait for it at the end. */
const LONGEST = 'test/statistics/simulate.test.ts';

/**
 * The order of the files: among the fast tests, those that need a server come first, since they mostly wait. Files of
 * one project stay together, since Vitest ends a worker when its next file belongs to another project, and with it what
 * its files share.
 */
export class ServersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // by their durations in the last run, or else by size
    const names = [...new Set(['temporal', ...sorted.map(({ project }) => project.name)])];
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(LONGEST);
    const others = sorted.filter((file) => !isLongest(file));
    return [
      ...sorted.filter(isLongest),
      ...names.flatMap((name) => others.filter(({ project }) => project.name === name)),
    ];
  }
}
