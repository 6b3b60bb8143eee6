import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { anyFreePort } from '../../src/engine/server.js';
import { CLI } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import { loadAsWritten, LOGIN_FILE } from './compose-file.js';
import { provideProgram, whyNotMade } from './executables.js';
import { startProcess, type Started } from './started.js';

const loader = inject('composeLoader');
const missing = loader.missing ?? whyNotMade(['oauth2Proxy']);
const why = missing === null ? '' : ` (skipped: ${missing})`;
const PROVIDER = 'oidc-provider@9.13.3';

/** A provider of OpenID Connect that lets in everybody, with an address at example.com. */
const providerScript = (port: number, redirect: string): string => `
import Provider from 'oidc-provider';
const claims = (sub) => ({ sub, email: sub + '@example.com', email_verified: true });
new Provider('http://127.0.0.1:${port}', {
  clients: [{ client_id: 'team', client_secret: 'secret-of-the-team', redirect_uris: ['${redirect}'] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  conformIdTokenClaims: false,
  pkce: { required: () => false },
  findAccount: (_, accountId) => ({ accountId, claims: () => claims(accountId) }),
}).listen(${port}, '127.0.0.1');
`;

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

/** A browser: keeps cookies by origin, and fills in the forms of the provider. */
function browser() {
  const jar = new Map<string, Map<string, string>>();
  async function open(url: string, init: Init = {}): Promise<Response> {
    const { origin } = new URL(url);
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const to = answer.headers.get('location');
    return to === null ? answer : open(new URL(to, url).href);
  }
  return {
    open,
    async login(url: string): Promise<Response> {
      let answer = await open(url);
      for (const prompt of ['login', 'consent']) {
        const action = /action="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
        const body = new URLSearchParams({ prompt, login: 'ann', password: 'any' });
        answer = await open(new URL(action, answer.url).href, { method: 'POST', body });
      }
      return answer;
    },
  };
}

describe.skipIf(missing !== null)(`image/login.yml${why}`, () => {
  test('nothing but the logins publishes what is behind them', async () => {
    if (loader.missing !== null) return;
    const { services } = await loadAsWritten(loader.found, LOGIN_FILE);
    expect(services['ui']?.ports).toEqual([]);
    expect(services['view']).toMatchObject({ ports: [], network_mode: 'service:view-login' });
    for (const name of ['ui-login', 'view-login'])
      expect(services[name]?.ports, name).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });

  test('the viewer is open only to who has logged in, and also asks for its token', async () => {
    if (loader.missing !== null) return;
    const { services } = await loadAsWritten(loader.found, LOGIN_FILE);
    const folder = await newFolder();
    const [issuerPort, proxyPort, viewPort] = [await anyFreePort(), await anyFreePort(), await anyFreePort()];
    const origin = `http://127.0.0.1:${proxyPort}`;
    const issuer = `http://127.0.0.1:${issuerPort}`;
    const started: Started[] = [];
    onTestFinished(async () => {
      for (const one of started) await one.end('SIGKILL');
    });
    const start = async (name: string, command: string[], env: NodeJS.ProcessEnv, url: string): Promise<void> => {
      const one = startProcess(command, { env: { ...process.env, ...env }, cwd: folder, log: join(folder, name) });
      started.push(one);
      await one.until(`${name} answers`, () =>
        fetch(url, { redirect: 'manual' }).then(
          () => true,
          () => false,
        ),
      );
    };

    await execa('npm', ['install', '--ignore-scripts', '--no-save', '--prefix', folder, PROVIDER]);
    await writeFile(join(folder, 'provider.mjs'), providerScript(issuerPort, `${origin}/oauth2/callback`));
    await start('provider', [process.execPath, 'provider.mjs'], {}, `${issuer}/.well-known/openid-configuration`);
    const viewer = [process.execPath, CLI, 'view', '--no-open', '--port', String(viewPort), '--origin', origin];
    const state = { LLM_TOOL_TEST_HOME: join(folder, 'state') };
    await start('view', [...viewer, '--results', join(folder, 'results')], state, `http://127.0.0.1:${viewPort}`);
    // The settings of the file, with its variables and addresses replaced.
    const inPlace: Record<string, string> = {
      OAUTH2_PROXY_OIDC_ISSUER_URL: issuer,
      OAUTH2_PROXY_CLIENT_ID: 'team',
      OAUTH2_PROXY_CLIENT_SECRET: 'secret-of-the-team',
      OAUTH2_PROXY_COOKIE_SECRET: 'x'.repeat(32),
      OAUTH2_PROXY_EMAIL_DOMAINS: 'example.com',
      OAUTH2_PROXY_HTTP_ADDRESS: `127.0.0.1:${proxyPort}`,
      OAUTH2_PROXY_UPSTREAMS: `http://127.0.0.1:${viewPort}/`,
      OAUTH2_PROXY_REDIRECT_URL: `${origin}/oauth2/callback`,
      OAUTH2_PROXY_COOKIE_SECURE: 'false', // there is no TLS here
    };
    const settings = { ...services['view-login']?.environment, ...inPlace } as Record<string, string>;
    const proxy = await provideProgram('oauth2Proxy', console.log);
    await start('login', [proxy], settings, `${origin}/ping`);

    for (const path of ['/', '/api/sweeps', '/app.js']) {
      const answer = await fetch(`${origin}${path}`, { redirect: 'manual' });
      expect([path, answer.status]).toEqual([path, 302]);
      expect(answer.headers.get('location')).toMatch(new RegExp(`^${issuer}/auth`));
    }
    const asked = { headers: { accept: 'application/json' } };
    expect((await fetch(`${origin}/api/sweeps`, asked)).status).toBe(401);

    const visitor = browser();
    const page = await visitor.login(`${origin}/`);
    expect([page.url, page.status]).toEqual([`${origin}/`, 200]);
    expect(await page.text()).toContain('<html');
    const link = await execa('sh', ['-c', 'cat state/*/view.json'], { cwd: folder });
    const { token } = JSON.parse(link.stdout) as { token: string };
    const withToken = { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(10_000) };
    expect((await visitor.open(`${origin}/api/sweeps`)).status).toBe(401);
    expect((await visitor.open(`${origin}/api/sweeps`, withToken)).status).toBe(200);
    const refused = await visitor.open(`${origin}/api/sweeps/none/cancel`, { ...withToken, method: 'POST' });
    expect(refused.status).toBe(403); // no origin
  });
});
