import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { linesIn } from '../commands/engine-parts.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  filesBelow,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { createAuthority, readPair, type Authority, type Pair } from '../engine/temporal/certificates.js';
import { startCloudProxy, type CloudProxy } from '../engine/temporal/cloud-proxy.js';
import { readFile } from 'node:fs/promises';

// A stand-in for Temporal Cloud: TLS and a login before a real server, and no operator service.

let folder: string;
let authority: Authority;
let server: Pair;
const KEYS = { old: 'key-old-7f3a', next: 'key-next-91bc', wrong: 'key-wrong-55de' };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-cloud-'));
  authority = await createAuthority(folder, 'authority');
  server = await authority.issue('server');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startProxy(settings: { apiKeys: string[] | null; mtls?: boolean }): Promise<CloudProxy> {
  const proxy = await startCloudProxy({
    ...readPair(server),
    to: inject('temporalAddress'),
    apiKeys: settings.apiKeys,
    ...(settings.mtls === true ? { clientCa: readPair(authority).cert } : {}),
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A project whose commands find the server in a configuration file of Temporal, as on a user's machine. */
async function cloudProject(profile: Record<string, string>): Promise<TestProject & { config: string }> {
  const project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/quick.yaml': scenario('quick', {
        steps: ["run: 'echo ok > out.txt'"],
        gates: ['{type: file_exists, path: out.txt}'],
      }),
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  const config = join(project.folder, 'temporal.toml');
  Object.assign(project.env, {
    TEMPORAL_ADDRESS: '',
    TEMPORAL_CONFIG_FILE: config,
    TEMPORAL_PROFILE: 'cloud',
    LLM_TOOL_TEST_LIMITS: JSON.stringify({ credentialsMs: 500, doctorMs: 60_000 }),
  });
  writeProfile(config, profile);
  return { ...project, config };
}

function writeProfile(file: string, { address = '', api_key, ...tls }: Record<string, string>): void {
  const lines = [
    '[profile.cloud]',
    `address = "${address}"`,
    ...(api_key === undefined ? [] : [`api_key = "${api_key}"`]),
    '[profile.cloud.tls]',
    `server_ca_cert_path = "${authority.cert}"`,
    ...Object.entries(tls).map(([name, value]) => `${name} = "${value}"`),
  ];
  writeFileSync(`${file}.new`, `${lines.join('\n')}\n`);
  renameSync(`${file}.new`, file);
}

test('a sweep runs with an API key, without the operator service', async () => {
  const proxy = await startProxy({ apiKeys: [KEYS.old] });
  const project = await cloudProject({ address: proxy.address, api_key: KEYS.old });
  const { exitCode, document, stderr } = await project.run(['quick']);
  expect(exitCode, stderr).toBe(0);
  expect(document.totals).toMatchObject({ passed: 1 });
  expect(proxy.calls).toContain('StartWorkflowExecution');
  expect(proxy.refused()).toBe(0);
  const doctor = await project.cli(['doctor', '--json']);
  expect(doctor.stdout).toContain('responds');
});

test('a sweep runs with a client certificate', async () => {
  const proxy = await startProxy({ apiKeys: null, mtls: true });
  const client = await authority.issue('client');
  const project = await cloudProject({
    address: proxy.address,
    client_cert_path: client.cert,
    client_key_path: client.key,
  });
  const { exitCode, document, stderr } = await project.run(['quick']);
  expect(exitCode, stderr).toBe(0);
  expect(document.totals).toMatchObject({ passed: 1 });
});

test('a wrong key, an expired certificate and an unknown authority are explained: no stack, no secret', async () => {
  const proxy = await startProxy({ apiKeys: [KEYS.old] });
  const project = await cloudProject({ address: proxy.address, api_key: KEYS.wrong });
  const wrong = await project.cli(['run', 'quick']);
  expect(wrong.exitCode).toBe(3);
  expect(wrong.stderr).toMatch(/the login was refused; check TEMPORAL_API_KEY/);
  const doctor = await project.cli(['doctor']);
  expect(doctor.exitCode).toBe(3);
  expect(doctor.stdout).toMatch(/the login was refused/);

  const expired = await authority.issue('expired', -1);
  const guarded = await startProxy({ apiKeys: null, mtls: true });
  const pair = { client_cert_path: expired.cert, client_key_path: expired.key };
  writeProfile(project.config, { address: guarded.address, ...pair });
  const late = await project.cli(['run', 'quick']);
  expect(late.exitCode).toBe(2);
  expect(late.stderr).toMatch(/the client certificate \(CN=expired\) has expired: it was valid until/);

  writeProfile(project.config, { address: guarded.address });
  const none = await project.cli(['run', 'quick']);
  expect(none.exitCode).toBe(3);
  expect(none.stderr).toMatch(/the TLS connection was refused; check TEMPORAL_TLS/);

  const other = await createAuthority(folder, 'other');
  const foreign = await startCloudProxy({ ...readPair(other), to: inject('temporalAddress'), apiKeys: null });
  onTestFinished(() => foreign.close());
  writeProfile(project.config, { address: foreign.address });
  const unknown = await project.cli(['run', 'quick']);
  expect(unknown.exitCode).toBe(3);
  expect(unknown.stderr).toMatch(/the TLS connection was refused.*certificate/);

  const files = await filesBelow(project.state);
  const logs = await Promise.all(files.filter((file) => file.includes('logs')).map((file) => readFile(file, 'utf8')));
  const said =
    [wrong, doctor, late, none, unknown].map(({ stdout, stderr }) => stdout + stderr).join('\n') + logs.join('\n');
  expect(said).not.toMatch(/^ +at .*\.js:\d+/m);
  for (const secret of Object.values(KEYS)) expect(said).not.toContain(secret);
});

test('a namespace that was not prepared is reported with the commands that create it', async () => {
  const proxy = await startProxy({ apiKeys: [KEYS.old] });
  const project = await cloudProject({ address: proxy.address, api_key: KEYS.old });
  const env = { TEMPORAL_NAMESPACE: 'team.a1b2c' };
  const commands =
    /temporal operator namespace create --namespace team\.a1b2c --retention 30d[^]*tcld namespace create .*--search-attribute SweepId=Keyword/;
  const ran = await project.cli(['run', 'quick'], env);
  expect(ran.exitCode).toBe(3);
  expect(ran.stderr).toMatch(commands);
  expect((await project.cli(['doctor'], env)).stdout).toMatch(commands);
});

test('an API key and a client certificate are replaced while an agent works, and the run goes on', async () => {
  const proxy = await startProxy({ apiKeys: [KEYS.old], mtls: true });
  const [first, second] = [await authority.issue('first'), await authority.issue('second')];
  const files = { client_cert_path: join(folder, 'used.pem'), client_key_path: join(folder, 'used.key') };
  const use = ({ cert, key }: Pair): void => {
    copyFileSync(cert, files.client_cert_path);
    copyFileSync(key, files.client_key_path);
  };
  use(first);
  const project = await cloudProject({ address: proxy.address, api_key: KEYS.old, ...files });
  await project.write(
    'fixtures/waiting.yaml',
    scenario('waiting', {
      steps: [
        `run: 'echo start >> ${project.folder}/starts; until [ -e ${project.folder}/go ]; do sleep 0.05; done; echo ok > out.txt'`,
      ],
      gates: ['{type: file_exists, path: out.txt}'],
    }),
  );
  const running = project.start(['run', 'waiting', '--json']);
  await until('the agent works', () => (linesIn(project, 'starts').length === 1 ? true : null));
  const log = async (): Promise<string> => {
    const logs = (await filesBelow(project.state)).filter((file) => file.endsWith('worker.log'));
    return (await Promise.all(logs.map((file) => readFile(file, 'utf8')))).join('');
  };
  // A key that does not work is not used.
  writeProfile(project.config, { address: proxy.address, api_key: KEYS.wrong, ...files });
  await until('the wrong key is reported', async () =>
    (await log()).includes('the new credentials are not used: ') ? true : null,
  );
  proxy.demands.apiKeys = [KEYS.old, KEYS.next];
  use(second);
  writeProfile(project.config, { address: proxy.address, api_key: KEYS.next, ...files });
  await until('the worker starts again', async () =>
    (await log()).includes('the credentials for the Temporal server were replaced') ? true : null,
  );
  const before = proxy.refused();
  proxy.demands.apiKeys = [KEYS.next];
  await project.write('go', '');
  const { exitCode, stdout, stderr } = await running;
  expect(exitCode, stderr).toBe(0);
  const { run } = await openRun(documentOf(stdout));
  expect(run).toMatchObject({ outcome: 'pass', agent: { starts: 1 } });
  expect(linesIn(project, 'starts')).toHaveLength(1);
  expect(before).toBeGreaterThan(0);
  for (const secret of Object.values(KEYS)) expect(await log()).not.toContain(secret);
});
