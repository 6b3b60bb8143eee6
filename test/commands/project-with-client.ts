import { Client, Connection } from '@temporalio/client';
import { afterAll, inject } from 'vitest';
import { createProject, type ProjectOptions, type TestProject } from './project.js';

/** A project, and a client of the Temporal server that its engine uses; both are closed after the file's tests. */
export async function projectWithClient(
  files: Record<string, string>,
  options: ProjectOptions = {},
): Promise<{ project: TestProject; client: Client }> {
  const project = await createProject(files, options);
  const client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
  afterAll(async () => {
    await client.connection.close();
    await project.remove();
  });
  return { project, client };
}
