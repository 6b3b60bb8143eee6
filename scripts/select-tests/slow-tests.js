import { relative } from 'node:path';
import { createVitest } from 'vitest/node';

const FAST = ['plain', 'temporal'];

/**
 * Returns the tests that are not fast, with their suites.
 * @param {string} root of the repository
 * @returns {Promise<{file: string, suite: import('../../test/suites.ts').Suite}[]>}
 */
export async function slowTests(root) {
  const vitest = await createVitest('test', { root, watch: false });
  const found = await vitest.globTestSpecifications();
  await vitest.close();
  return found
    .filter(({ project }) => !FAST.includes(project.name))
    .map(({ moduleId, project }) => ({
      file: relative(root, moduleId),
      suite: /** @type {import('../../test/suites.ts').Suite} */ (project.name),
    }));
}
