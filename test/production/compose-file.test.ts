import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { newFolder } from '../platform/temporary.js';
import { loadAsWritten, loadCompose, type ComposeModel } from './compose-file.js';

const loader = inject('composeLoader');
const why = loader.missing === null ? '' : ` (skipped: ${loader.missing})`;

describe.skipIf(loader.missing !== null)(`docker-compose.yml, as docker compose loads it${why}`, () => {
  let model: ComposeModel;
  let asWritten: Awaited<ReturnType<typeof loadAsWritten>>['services'];
  beforeAll(async () => {
    if (loader.missing !== null) return;
    model = await loadCompose(loader.found);
    asWritten = (await loadAsWritten(loader.found)).services;
  });
  const services = (): [string, ComposeModel['services']['ui']][] => Object.entries(model.services);

  test('the loader refuses what the schema of Compose files does not have', async () => {
    const file = join(await newFolder(), 'docker-compose.yml');
    const check = async (content: string): Promise<number | undefined> => {
      await writeFile(file, content);
      return (await execa(loader.missing === null ? loader.found : '', [file], { reject: false })).exitCode;
    };
    expect(await check('services: {a: {image: "x:1", ports: []}}')).toBe(0);
    expect(await check('services: {a: {image: "x:1", prots: []}}')).not.toBe(0);
  });

  test('every image is pinned to a full version, and none is the deprecated one that sets all up', () => {
    const pulled = services().filter(([, { build }]) => build === undefined);
    expect(pulled).toHaveLength(5);
    for (const [name, { image }] of pulled) {
      expect(image, name).toMatch(/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
      expect(image, name).not.toContain('auto-setup');
    }
    expect(model.services.worker.image).toMatch(/:local$/);
  });

  test('server and tools are of one version', () => {
    const tag = ({ image }: { image: string }): string | undefined => image.split(':')[1];
    expect(tag(model.services.schema)).toBe(tag(model.services.temporal));
    expect(tag(model.services.namespace)).toBe(tag(model.services.temporal));
  });

  test('ports are published on the loopback address only, and those of database and worker not at all', () => {
    const published = services().flatMap(([name, { ports }]) =>
      ports.map(({ host_ip, published, target }) => `${name} ${host_ip ?? ''}:${published}:${target}`),
    );
    expect(published).toEqual(['temporal 127.0.0.1:7233:7233', 'ui 127.0.0.1:8080:8080']);
  });

  test('the database is in a network without a way out, which holds neither worker nor Web UI', () => {
    expect(model.networks['database']?.internal).toBe(true);
    const inside = services().filter(([, { networks }]) => 'database' in networks);
    expect(inside.map(([name]) => name).sort()).toEqual(['postgresql', 'schema', 'temporal']);
  });

  test('what must last is in volumes with names; of the host there is the project folder only', () => {
    const mounts = services().flatMap(([name, { volumes }]) =>
      volumes.map(
        ({ type, source, target }) => `${name} ${type} ${type === 'bind' ? '' : (source ?? '')}:${target}`,
      ),
    );
    expect(mounts).toEqual([
      'postgresql volume database:/var/lib/postgresql/data',
      'worker bind :/project',
      'worker volume state:/var/lib/llm-tool-test',
      'worker volume cache:/var/cache/llm-tool-test',
    ]);
    expect(Object.keys(model.volumes).sort()).toEqual(['cache', 'database', 'state']);
  });

  test('each waits for what it needs: schema for the database, server for the schema, and so on', () => {
    const order = services().flatMap(([name, { depends_on }]) =>
      Object.entries(depends_on).map(([other, { condition }]) => `${name}: ${other} ${condition}`),
    );
    expect(order.sort()).toEqual([
      'namespace: temporal service_healthy',
      'schema: postgresql service_healthy',
      'temporal: schema service_completed_successfully',
      'ui: namespace service_completed_successfully',
      'worker: namespace service_completed_successfully',
    ]);
    for (const name of ['postgresql', 'temporal', 'worker'] as const)
      expect(model.services[name].healthcheck?.test.length, name).toBeGreaterThan(1);
  });

  test('services come back after a restart of the machine, jobs are tried again only when they fail', () => {
    const policies = Object.fromEntries(services().map(([name, { restart }]) => [name, restart]));
    expect(policies).toEqual({
      postgresql: 'unless-stopped',
      temporal: 'unless-stopped',
      ui: 'unless-stopped',
      worker: 'unless-stopped',
      schema: 'on-failure:5',
      namespace: 'on-failure:5',
    });
  });

  test('one variable is the password of all who need it', () => {
    const password = '${TEMPORAL_DB_PASSWORD:-temporal}';
    expect(asWritten['postgresql']?.environment['POSTGRES_PASSWORD']).toBe(password);
    expect(asWritten['schema']?.environment['SQL_PASSWORD']).toBe(password);
    expect(asWritten['temporal']?.environment['POSTGRES_PWD']).toBe(password);
  });

  test('keys of providers are passed on by name, to the worker alone, and the file holds none', () => {
    const byName = services().flatMap(([service, { environment }]) =>
      Object.entries(environment).flatMap(([name, value]) => (value === null ? [`${service} ${name}`] : [])),
    );
    expect(byName.sort()).toEqual([
      'worker ANTHROPIC_API_KEY',
      'worker GEMINI_API_KEY',
      'worker LLM_TOOL_TEST_ENABLED',
      'worker OPENAI_API_KEY',
    ]);
  });

  test('the worker has a fixed name, so that a second one on the same state folder is refused', () => {
    expect(model.services.worker.container_name).toBe('llm-tool-test-worker');
    // Another project has another.
    expect(asWritten['worker']?.container_name).toBe('${COMPOSE_PROJECT_NAME}-worker');
  });
});
