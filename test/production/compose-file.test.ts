import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { newFolder } from '../host/temporary.js';
import { loadAsWritten, loadCompose, type ComposeModel } from './compose-file.js';

const loader = inject('composeLoader');
const why = loader.missing === null ? '' : ` (skipped: ${loader.missing})`;

describe.skipIf(loader.missing !== null)(`docker-compose.yml as loaded by docker compose${why}`, () => {
  let model: ComposeModel;
  let asWritten: Awaited<ReturnType<typeof loadAsWritten>>['services'];
  beforeAll(async () => {
    if (loader.missing !== null) return;
    model = await loadCompose(loader.found);
    asWritten = (await loadAsWritten(loader.found)).services;
  });
  const services = (): [string, ComposeModel['services']['ui']][] => Object.entries(model.services);

  test('the loader refuses keys that are not in the schema of Compose files', async () => {
    const file = join(await newFolder(), 'docker-compose.yml');
    const check = async (content: string): Promise<number | undefined> => {
      await writeFile(file, content);
      return (await execa(loader.missing === null ? loader.found : '', [file], { reject: false })).exitCode;
    };
    expect(await check('services: {a: {image: "x:1", ports: []}}')).toBe(0);
    expect(await check('services: {a: {image: "x:1", prots: []}}')).not.toBe(0);
  });

  test('every image is pinned to a full version, and none is the deprecated auto-setup image', () => {
    const pulled = services().filter(([, { image }]) => !image.endsWith(':local'));
    expect(pulled).toHaveLength(5);
    for (const [name, { image }] of pulled) {
      expect(image, name).toMatch(/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
      expect(image, name).not.toContain('auto-setup');
    }
    expect(model.services.worker.build).toBeDefined();
    expect(model.services.cli.image).toBe(model.services.worker.image);
  });

  test('server and tools have the same version', () => {
    const tag = ({ image }: { image: string }): string | undefined => image.split(':')[1];
    expect(tag(model.services.schema)).toBe(tag(model.services.temporal));
    expect(tag(model.services.namespace)).toBe(tag(model.services.temporal));
  });

  test('ports are published only on loopback, and those of database and workers are not published', () => {
    const published = services().flatMap(([name, { ports }]) =>
      ports.map(({ host_ip, published, target }) => `${name} ${host_ip ?? ''}:${published}:${target}`),
    );
    expect(published).toEqual(['temporal 127.0.0.1:7233:7233', 'ui 127.0.0.1:8080:8080']);
  });

  test('the database is in an internal network without workers, commands and Web UI', () => {
    expect(model.networks['database']?.internal).toBe(true);
    const inside = services().filter(([, { networks }]) => 'database' in networks);
    expect(inside.map(([name]) => name).sort()).toEqual(['postgresql', 'schema', 'temporal']);
  });

  test('what must be kept is in named volumes, and only the project folder is mounted from the host', () => {
    const mounts = services().flatMap(([name, { volumes }]) =>
      volumes.map(({ type, source, target }) => `${name} ${type} ${type === 'bind' ? '' : (source ?? '')}:${target}`),
    );
    expect(mounts).toEqual([
      'postgresql volume database:/var/lib/postgresql/data',
      'worker volume hosts:/home/hosts',
      'worker volume results:/results',
      'worker volume keys:/home/keys',
      'cli bind :/project',
      'cli volume cli:/var/lib/llm-tool-test',
      'cli volume results:/results',
    ]);
    expect(Object.keys(model.volumes).sort()).toEqual(['cli', 'database', 'hosts', 'keys', 'results']);
  });

  test('each service waits for what it needs: the schema for the database, the server for the schema, and so on', () => {
    const order = services().flatMap(([name, { depends_on }]) =>
      Object.entries(depends_on).map(([other, { condition }]) => `${name}: ${other} ${condition}`),
    );
    expect(order.sort()).toEqual([
      'cli: worker service_healthy',
      'namespace: temporal service_healthy',
      'schema: postgresql service_healthy',
      'temporal: schema service_completed_successfully',
      'ui: namespace service_completed_successfully',
      'worker: namespace service_completed_successfully',
    ]);
    for (const name of ['postgresql', 'temporal', 'worker'] as const)
      expect(model.services[name].healthcheck?.test.length, name).toBeGreaterThan(1);
  });

  test('services start again after a restart of the machine; jobs are retried only if they fail', () => {
    const policies = Object.fromEntries(services().map(([name, { restart }]) => [name, restart]));
    expect(policies).toEqual({
      postgresql: 'unless-stopped',
      temporal: 'unless-stopped',
      ui: 'unless-stopped',
      worker: 'unless-stopped',
      cli: 'unless-stopped',
      schema: 'on-failure:5',
      namespace: 'on-failure:5',
    });
  });

  test('one variable sets the password for every service that needs it', () => {
    const password = '${TEMPORAL_DB_PASSWORD:-temporal}';
    expect(asWritten['postgresql']?.environment['POSTGRES_PASSWORD']).toBe(password);
    expect(asWritten['schema']?.environment['SQL_PASSWORD']).toBe(password);
    expect(asWritten['temporal']?.environment['POSTGRES_PWD']).toBe(password);
  });

  test('secrets are passed by name, only to workers and commands, and the file contains none', () => {
    const SECRET = /KEY|SECRET|TOKEN/;
    const secrets = services().flatMap(([service, { environment }]) =>
      Object.entries(environment).flatMap(([name, value]) =>
        SECRET.test(name) && !name.endsWith('_PATH') ? [`${service} ${name} ${value ?? ''}`] : [],
      ),
    );
    const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'TEMPORAL_API_KEY'];
    expect(secrets.sort()).toEqual(['cli', 'worker'].flatMap((service) => names.map((name) => `${service} ${name} `)));
  });

  test('commands and workers get the same settings of the Temporal server', () => {
    const temporal = (name: 'worker' | 'cli'): [string, string | null][] =>
      Object.entries(model.services[name].environment).filter(([key]) => key.startsWith('TEMPORAL_'));
    expect(temporal('cli')).toEqual(temporal('worker'));
    expect(Object.fromEntries(temporal('worker'))).toMatchObject({
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_NAMESPACE: model.services.namespace.environment['TEMPORAL_NAMESPACE'],
    });
  });

  test('services have limits of memory; workers and commands have limits of processes, and no rights', () => {
    for (const [name, { mem_limit }] of services())
      expect(mem_limit === undefined, name).toBe(['schema', 'namespace'].includes(name));
    for (const name of ['worker', 'cli'] as const)
      expect(model.services[name]).toMatchObject({
        pids_limit: expect.any(Number) as number,
        cap_drop: ['ALL'],
        security_opt: expect.arrayContaining(['no-new-privileges:true']) as string[],
      });
  });
});
