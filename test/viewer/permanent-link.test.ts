import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { keepLink, permanentLink } from '../../src/viewer/server/permanent-link.js';
import { serveViewer, type Viewer } from '../../src/viewer/server/serve.js';

let folder: string;
let results: string;
let warnings: string[];
const open: Viewer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'permanent-link-'));
  vi.stubEnv('LLM_TOOL_TEST_HOME', join(folder, 'state'));
  results = join(folder, 'results');
  warnings = [];
});
afterEach(async () => {
  for (const viewer of open.splice(0)) await viewer.close();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const file = (): string => join(projectState(results).folder, 'view.json');
const serve = async (change: { port?: number; newLink?: boolean; resultsPath?: string } = {}): Promise<Viewer> => {
  const viewer = await serveViewer({
    ...{ resultsPath: results, port: 0, origin: null, newLink: false, ...change },
    variables: () => ({}),
    warn: (text) => void warnings.push(text),
  });
  open.push(viewer);
  return viewer;
};
const close = async (viewer: Viewer): Promise<void> => {
  open.splice(open.indexOf(viewer), 1);
  await viewer.close();
};

test('a results folder keeps its address, which only its user can read, and others have others', async () => {
  const first = await serve();
  await close(first);
  const again = await serve();
  expect(again.url).toBe(first.url);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const other = await serve({ resultsPath: join(folder, 'other') });
  expect(other.url.split('#')[1]).not.toBe(first.url.split('#')[1]);
  expect(warnings).toEqual([]);
});

test('--new-link makes links of before invalid', async () => {
  const first = await serve();
  await close(first);
  const renewed = await serve({ newLink: true });
  const token = (url: string): string => url.split('#token=')[1] ?? '';
  expect(token(renewed.url)).not.toBe(token(first.url));
  const asked = (of: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${renewed.port}/api/schedules`, { headers: { authorization: `Bearer ${of}` } });
  expect([(await asked(token(first.url))).status, (await asked(token(renewed.url))).status]).toEqual([401, 200]);
});

test('a port that was asked for, or found because the usual one is taken, is for this time only', async () => {
  const first = await serve();
  const beside = await serve();
  expect(beside.port).not.toBe(first.port);
  expect(warnings).toEqual([expect.stringContaining(`port ${first.port} of the last time is taken`)]);
  await expect(serve({ port: first.port })).rejects.toThrow(`cannot listen on port ${first.port} (EADDRINUSE)`);
  await close(first);
  await close(beside);
  const { port } = beside;
  expect((await serve({ port })).port).toBe(port);
  expect((await serve()).url).toBe(first.url);
});

test.each([
  ['that others can read', () => chmod(file(), 0o644)],
  ['that is damaged', () => writeFile(file(), '{"port": 1, "token": "short"}')],
  ['that is no JSON', () => writeFile(file(), '{')],
  [
    'that is a symlink',
    async () => {
      await writeFile(join(folder, 'foreign'), await readFile(file()), { mode: 0o600 });
      await rm(file());
      await symlink(join(folder, 'foreign'), file());
    },
  ],
])('a link %s is not used', async (_, damage) => {
  const link = { port: 4000, token: 'x'.repeat(32) };
  await keepLink(results, link);
  expect(await permanentLink(results, false)).toEqual(link);
  await damage();
  expect(await permanentLink(results, false)).toMatchObject({ port: null });
});
