import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedResults } from '../../src/commands/doctor/places.js';
import { doctorContext, type DoctorContext } from '../../src/commands/doctor/context.js';
import { checksOf } from '../../src/commands/doctor/doctor.js';
import { joinSharedProject } from '../../src/store/shared/shared-project.js';
import { newFolder, setEnv } from '../host/temporary.js';

async function sharedContext(): Promise<{ location: string; context: DoctorContext }> {
  setEnv({ LLM_TOOL_TEST_HOME: await newFolder() });
  const location = join(await newFolder(), 'shared');
  const { resultsPath } = await joinSharedProject(location, { create: () => undefined });
  return { location, context: doctorContext({ results: resultsPath }) };
}

test('doctor says that shared results can be written', async () => {
  const { location, context } = await sharedContext();
  expect(checksOf(context).map(({ name }) => name)).toContain('shared results');
  expect(await sharedResults(context)).toEqual({
    status: 'ok',
    message: `${location} can be written, and each object is created only once`,
    detail: { location },
  });
});

test('doctor says that shared results cannot be used', async () => {
  const { location, context } = await sharedContext();
  await rm(location, { recursive: true });
  await writeFile(location, '');
  expect(await sharedResults(context)).toMatchObject({
    status: 'problem',
    message: `cannot share results at ${location}: ${location} has no .shared/project.json: is the folder mounted?`,
  });
});

test('doctor does not look for shared results where there are none', async () => {
  const names = checksOf(doctorContext({ results: await newFolder() })).map(({ name }) => name);
  expect(names).not.toContain('shared results');
});
