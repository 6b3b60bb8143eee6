import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order of the files: among the fast tests, those that need a server come first, since they mostly wait. Files of
 * one project stay together, since Vitest ends a worker when its next file belongs to another project, and with it what
 * its files share.
 */
export class ServersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // by their durations in the last run, or else by size
    const names = [...new Set(['temporal', ...sorted.map(({ project }) => project.name)])];
    return names.flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }
}
