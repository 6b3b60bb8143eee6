import { joinSharedProject, type SharedProject } from '../../../src/store/shared/shared-project.js';

/** Joins a shared place as a machine with its own state would, and creates the project if there is none. */
export async function joinAs(home: string, location: string): Promise<SharedProject> {
  const before = process.env['LLM_TOOL_TEST_HOME'];
  process.env['LLM_TOOL_TEST_HOME'] = home;
  try {
    return await joinSharedProject(location, { create: () => undefined });
  } finally {
    if (before === undefined) delete process.env['LLM_TOOL_TEST_HOME'];
    else process.env['LLM_TOOL_TEST_HOME'] = before;
  }
}
