import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../../src/lib/errors/usage-error.js';
import { connectionOptions } from '../../../src/engine/temporal/connection-options.js';
import { createAuthority, type Authority, type Pair } from './certificates.js';

const to = { address: 'a:7233', external: true };
let folder: string;
let authority: Authority;
let pair: Pair;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'connection-options-'));
  authority = await createAuthority(folder, 'authority');
  pair = await authority.issue('client');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withFiles = ({ cert, key }: Partial<Pair>) =>
  connectionOptions(to, {
    ...(cert === undefined ? {} : { TEMPORAL_TLS_CLIENT_CERT_PATH: cert }),
    ...(key === undefined ? {} : { TEMPORAL_TLS_CLIENT_KEY_PATH: key }),
  });

test('the local server gets neither keys nor certificates', () => {
  expect(connectionOptions({ ...to, external: false }, { TEMPORAL_API_KEY: 'k' })).toEqual({
    address: 'a:7233',
  });
});

test('an API key implies TLS, and an empty variable counts as not set', () => {
  expect(connectionOptions(to, { TEMPORAL_API_KEY: 'k' })).toMatchObject({ apiKey: 'k', tls: true });
  expect(connectionOptions(to, { TEMPORAL_API_KEY: '', TEMPORAL_TLS_CLIENT_CERT_PATH: '' })).toEqual({
    address: 'a:7233',
  });
});

test('a profile names certificates, which are read anew each time', async () => {
  const config = join(folder, 'temporal.toml');
  const used = { cert: join(folder, 'used.pem'), key: join(folder, 'used.key') };
  writeFileSync(config, `[profile.cloud.tls]\nclient_cert_path = "${used.cert}"\nclient_key_path = "${used.key}"\n`);
  const next = await authority.issue('next');
  for (const { cert, key } of [pair, next]) {
    writeFileSync(used.cert, readFileSync(cert));
    writeFileSync(used.key, readFileSync(key));
    const { tls } = connectionOptions(to, { TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: 'cloud' });
    expect(Buffer.from((tls as { clientCertPair: { crt: Uint8Array } }).clientCertPair.crt)).toEqual(
      readFileSync(cert),
    );
  }
});

test('unusable certificates and files are usage errors that name the reason and quote no secret', async () => {
  const expired = await authority.issue('expired', -1);
  const broken = join(folder, 'broken.key');
  writeFileSync(broken, 'secret-of-the-key');
  const config = join(folder, 'broken.toml');
  writeFileSync(config, '[profile.default]\napi_key = "secret-of-the-key\nb = 1\n');
  for (const [options, reason] of [
    [() => withFiles(expired), /\(CN=expired\) has expired/],
    [() => withFiles({ ...pair, key: expired.key }), /\(CN=client\) does not match the client key/],
    [() => withFiles({ ...pair, key: broken }), /the client key is not in PEM format/],
    [() => withFiles({ cert: pair.cert }), /the client certificate has no key/],
    [() => withFiles({ key: pair.key }), /the client key has no certificate/],
    [() => withFiles({ ...pair, cert: join(folder, 'none.pem') }), /none\.pem/],
    [() => connectionOptions(to, { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }), /none\.toml does not exist/],
    [() => connectionOptions(to, { TEMPORAL_CONFIG_FILE: config }), /not valid TOML \(line 2, column \d+\)/],
    [() => connectionOptions(to, { TEMPORAL_PROFILE: 'none' }), /Profile 'none' not found/],
  ] as const) {
    expect(options).toThrow(UsageError);
    expect(options).toThrow(reason);
    expect(options).not.toThrow(/secret-of-the-key/);
  }
});
