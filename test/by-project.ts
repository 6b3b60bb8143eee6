import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order of the files: those that need a server come first, since they mostly wait. Files of one project stay
 * together, since vitest ends a worker when its next file belongs to another project, and with it what its files share.
 */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // by their durations in the last run, or else by size
    return ['temporal', 'plain'].flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }
}
