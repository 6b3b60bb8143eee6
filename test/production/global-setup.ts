import type { TestProject } from 'vitest/node';
import { NotHere, provideProgram } from './executables.js';
import { serverPrograms } from './server-programs.js';
import type { Programs } from './stack.js';

/** Something the tests need, or why it is not available here. */
export type Needed<T> = { missing: string } | { missing: null; found: T };

declare module 'vitest' {
  interface ProvidedContext {
    composeLoader: Needed<string>;
    serverPrograms: Needed<Programs>;
  }
}

const report = (text: string): void => console.log(`production: ${text}`);

/** Prepares slow things before the tests are collected: the tests say in their names why they are skipped. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('composeLoader', await needed(() => provideProgram('compose', report)));
  project.provide('serverPrograms', await needed(() => serverPrograms(report)));
}

async function needed<T>(get: () => Promise<T>): Promise<Needed<T>> {
  try {
    return { missing: null, found: await get() };
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    report(`skipped: ${error.message}`);
    return { missing: error.message };
  }
}
