import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { ownNetworkProblem } from '../../src/environments/network.js';
import { sha256 } from '../../src/lib/hash.js';
import { chanceOf } from '../../src/mocks/record-call.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import {
  cellsOf,
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  type RunFolder,
  type ScenarioOptions,
  type TestProject,
} from './project.js';

const lacking = (await bubblewrapProblem()) ?? (await ownNetworkProblem());
const PLACES = ['local', ...(lacking === null ? ['bubblewrap'] : [])];

const run = (command: string): string => `run: ${JSON.stringify(command)}`;
const setup = (mocks: object[], more: object = {}): string => `setup: ${JSON.stringify({ mocks, ...more })}`;

/** Sends requests with what every machine that runs this project has. */
const send = (what: string, to: string): string => `node send.mjs ${what} >${to}`;
const SEND = `
import { writeFileSync } from 'node:fs';
const base = process.env.LLM_TOOL_TEST_MOCK_URL;
const [method, path, body, ...headers] = process.argv.slice(2);
const answer = await fetch(base + path, {
  method,
  ...(body === undefined || body === '' ? {} : { body }),
  headers: Object.fromEntries(headers.map((header) => header.split('='))),
});
console.log(answer.status, answer.headers.get('content-type'), answer.headers.get('x-own'));
process.stdout.write(await answer.text());
`;
const FILES = { files: { 'send.mjs': SEND } };

const inPlace = (type: string): string =>
  scenario(type, {
    steps: [
      run(send('GET /users/7', 'user.txt')),
      run(send(`POST '/users?dry=1' '{"name":"Ann","more":[1]}' authorization='Bearer x'`, 'post.txt')),
      run(send('GET /users/8', 'missing.txt')),
      run(send('DELETE /users/7', 'error.txt')),
      run(send('GET /page', 'page.txt')),
      run('test "$API_URL" = "$LLM_TOOL_TEST_MOCK_URL" && echo same >variables.txt'),
      run(send('PUT /x hunter2x', 'unmatched.txt')),
    ],
    gates: ['{type: command_output_contains, command: node send.mjs GET /users/9, substring: "gate 1 of mock"}'],
    more: [
      `environment: {type: ${type}}`,
      'scripts: {post: [{command: "node send.mjs GET /users/9 >post-script.txt"}]}',
      setup(
        [
          {
            endpoint: 'GET /users/{id}',
            when: { args: ['8'] },
            status: 404,
            response: { error: 'no user ${args[0]}' },
          },
          {
            endpoint: 'GET /users/{id}',
            when: { input: { path: { id: '7' } } },
            response: { id: '${input.path.id}' },
          },
          {
            endpoint: 'GET /users/{id}',
            response: '${context.step} of ${context.agent} in ${context.scenario}',
          },
          {
            endpoint: 'POST /users',
            when: {
              input: { query: { dry: '1' }, headers: { Authorization: 'Bearer x' }, body: { name: 'Ann' } },
            },
            status: 201,
            headers: { 'X-Own': 'yes' },
            response: ['made', '${input.body.name}', '${input.body.more}'],
          },
          {
            endpoint: 'DELETE /users/{id}',
            error: { code: 'DENIED', message: 'not on Fridays', status: 403 },
          },
          {
            endpoint: 'GET /page',
            headers: { 'content-type': 'text/html' },
            response: '<p>',
            metadata: { delay: 5 },
          },
          { endpoint: 'GET /never' },
        ],
        { ...FILES, mock_url_variables: ['API_URL'] },
      ),
    ].join('\n'),
  });

const SCENARIOS: Record<string, ScenarioOptions> = {
  chance: {
    steps: [run('for n in 1 2 3 4 5 6 7 8 9 10; do node send.mjs GET /; done')],
    more: setup([{ endpoint: 'GET /', metadata: { probability: 0.5 }, response: 'x' }], FILES),
  },
  matcher: {
    steps: [
      run(send('GET /a', 'a.txt')),
      run(send('GET /b', 'b.txt')),
      run(send('GET /c', 'c.txt')),
      run(send('GET /d', 'd.txt')),
    ],
    more: setup(
      [
        {
          endpoint: 'GET /{x}',
          when: { matcher: 'args[0] === "a" && context.agent === "mock"' },
          response: 'matched',
        },
        { endpoint: 'GET /{x}', when: { args: ['b'], matcher: 'input.nothing.here' }, response: 'never' },
        {
          endpoint: 'GET /{x}',
          when: { args: ['c'], matcher: '(() => { for (;;); })()' },
          response: 'never',
        },
        {
          endpoint: 'GET /{x}',
          when: { args: ['d'], matcher: 'this.constructor.constructor("return process")().exit()' },
          response: 'never',
        },
        { endpoint: 'GET /{x}', response: 'other' },
      ],
      FILES,
    ),
  },
  hostile: {
    steps: [
      run('node attack.mjs >attack.txt 2>&1'),
      run(send('GET /', 'after.txt')),
      run(send(`GET '/%2e%2e%2f%2e%2e%2fetc%2fpasswd'`, 'traversal.txt')),
      run(send(`POST / '{"a":"\${args[0]} $(touch planted) \`touch planted\`"}'`, 'literal.txt')),
      run(send(`POST / '{"__proto__":{"polluted":1}}'`, 'prototype.txt')),
    ],
    more: setup(
      [
        { endpoint: 'GET /', response: 'alive' },
        { endpoint: 'POST /', response: '${input.body.a}' },
      ],
      {
        files: {
          'send.mjs': SEND,
          'attack.mjs': `
import { connect } from 'node:net';
const { hostname, port } = new URL(process.env.LLM_TOOL_TEST_MOCK_URL);
const attacks = [
  'nonsense\\r\\n\\r\\n',
  'GET / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: -1\\r\\n\\r\\n',
  'GET /%zz HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n',
  'GET / HTTP/1.1\\r\\nHost: x\\r\\nX: ' + 'y'.repeat(100_000) + '\\r\\n\\r\\n',
  'POST / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nContent-Length: 3000000\\r\\n\\r\\n' + 'z'.repeat(3_000_000),
  'POST / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n',
  'POST / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nContent-Length: 200002\\r\\n\\r\\n' + '['.repeat(100_001) + ']'.repeat(100_001),
];
for (const attack of attacks)
  await new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(attack));
    socket.on('data', (chunk) => (text += chunk)).on('error', () => {}).on('close', () => {
      console.log(/^HTTP\\S+ (\\d+)/.exec(text)?.[1] ?? 'closed');
      resolve();
    });
  });
`,
        },
      },
    ),
  },
};

let project: TestProject;
let document: SweepDocument;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  for (const type of PLACES) await project.write(`fixtures/${type}.yaml`, inPlace(type));
  for (const [name, options] of Object.entries(SCENARIOS))
    await project.write(`fixtures/${name}.yaml`, scenario(name, options));
  ({ document } = await project.run([...PLACES, ...Object.keys(SCENARIOS), '--agents', 'mock']));
});
afterAll(() => project.remove());

const runOf = (name: string): Promise<RunFolder> => openRun(cellsOf(document, name));

describe.each(PLACES)('a mocked endpoint in %s', (type) => {
  it('answers the agent, post scripts and gates', async () => {
    const { run, text } = await runOf(type);
    expect(run).toMatchObject({ outcome: 'pass', environment: type });
    expect(await text('fixture/user.txt')).toBe('200 application/json null\n{"id":"7"}');
    expect(await text('fixture/post.txt')).toBe('201 application/json yes\n["made","Ann","[1]"]');
    expect(await text('fixture/missing.txt')).toBe('404 application/json null\n{"error":"no user 8"}');
    expect(await text('fixture/error.txt')).toBe('403 text/plain; charset=utf-8 null\nDENIED: not on Fridays\n');
    expect(await text('fixture/page.txt')).toBe('200 text/html null\n<p>');
    expect(await text('fixture/post-script.txt')).toContain(`post 1 of mock in ${type}`);
    expect(await text('fixture/variables.txt')).toBe('same\n');
  });

  it('is reported with its calls; requests that none answered and unused mocks are named', async () => {
    const { run, text } = await runOf(type);
    expect(
      run.mocks?.by_mock.map(({ command, calls }) => [command, calls.map(({ step, status }) => [step, status])]),
    ).toEqual([
      ['GET /users/{id}', [['agent', 404]]],
      ['GET /users/{id}', [['agent', 200]]],
      [
        'GET /users/{id}',
        [
          ['post 1', 200],
          ['gate 1', 200],
        ],
      ],
      ['POST /users', [['agent', 201]]],
      ['DELETE /users/{id}', [['agent', 403]]],
      ['GET /page', [['agent', 200]]],
      ['GET /never', []],
    ]);
    expect(run.mocks?.unmatched).toMatchObject([{ command: 'PUT /x', args: ['hunter2x'], status: 501 }]);
    expect(await text('fixture/unmatched.txt')).toContain('no mock matches this request: PUT /x');
    expect(run.warnings).toEqual(['mock 7 (GET /never) was never used', '1 request matched no mock: PUT /x hunter2x']);
    expect(await text('report.md')).toMatch(/## Mocks\n\n(.*\n)+\| 4 +\| POST \/users +\| 1 +\| 0 +\|/);
  });

  it('is served only on loopback, and by nobody after the run', async () => {
    const { text } = await runOf(type);
    const address = /http:\/\/127\.0\.0\.1:(\d+)/;
    await project.write(
      'fixtures/address.yaml',
      scenario('address', {
        steps: [run('echo $LLM_TOOL_TEST_MOCK_URL >url.txt')],
        more: `environment: {type: ${type}}\n${setup([{ endpoint: 'GET /' }])}`,
      }),
    );
    const { document: one } = await project.run(['address', '--agents', 'mock', '--no-cache']);
    const port = Number(address.exec(await (await openRun(one)).text('fixture/url.txt'))?.[1]);
    expect(port).toBeGreaterThan(0);
    expect(await canConnect(port)).toBe(false);
    expect(await text('fixture/user.txt')).not.toBe('');
  });
});

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

describe('a mocked endpoint', () => {
  it('fails by chance in the same requests when the run is repeated', async () => {
    const first = await runOf('chance');
    const { document: again } = await project.run(['chance', '--agents', 'mock', '--no-cache']);
    const seed = sha256(first.run.cell);
    const expected = Array.from({ length: 10 }, (_, index) => chanceOf(seed, index + 1) < 0.5);
    for (const { run } of [first, await openRun(again)]) {
      const calls = run.mocks?.by_mock[0]?.calls ?? [];
      expect(calls.map(({ failed_by_chance }) => failed_by_chance)).toEqual(expected);
      expect(calls.map(({ status }) => status === 503)).toEqual(expected);
    }
  });

  it('has a matcher that cannot end or stop the server, and whose errors are reported', async () => {
    const { run, text } = await runOf('matcher');
    expect(run.outcome).toBe('pass');
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => text(`fixture/${name}.txt`)));
    expect(answers.map((answer) => answer.split('\n').at(-1))).toEqual(['matched', 'other', 'other', 'other']);
    expect(run.warnings.filter((warning) => warning.includes('matcher'))).toEqual([
      expect.stringMatching(/^the matcher of mock 2 threw in 1 call: TypeError/),
      expect.stringMatching(/^the matcher of mock 3 threw in 1 call: .*timed out/),
      expect.stringMatching(/^the matcher of mock 4 threw in 1 call: /),
    ]);
  });

  it('survives bad requests, and interprets nothing in good ones', async () => {
    const { run, text } = await runOf('hostile');
    expect(run.outcome).toBe('pass');
    expect((await text('fixture/attack.txt')).trim().split('\n')).toEqual([
      '400',
      '400',
      '501',
      '400',
      '413',
      '400',
      '200',
    ]);
    expect(await text('fixture/after.txt')).toContain('alive');
    expect(await text('fixture/traversal.txt')).toContain('501');
    expect(await text('fixture/literal.txt')).toContain('${args[0]} $(touch planted) `touch planted`');
    expect(await text('fixture/prototype.txt')).toContain('200');
  });
});

describe('a scenario in the form of ElizaOS', () => {
  it('has mocked endpoints in its code and its evaluations', async () => {
    const file = {
      name: 'eliza-endpoints',
      setup: {
        virtual_fs: { 'send.mjs': SEND },
        mock_url_variables: ['GITHUB_API_URL'],
        mocks: [
          {
            endpoint: 'GET /repos/{owner}/{repo}',
            response: { name: '${input.path.repo}', step: '${context.step}' },
          },
        ],
      },
      run: [
        {
          lang: 'node',
          code: 'fetch(process.env.GITHUB_API_URL + "/repos/me/notes").then((a) => a.text()).then(console.log)',
          evaluations: [
            { type: 'string_contains', value: '{"name":"notes","step":"command 1"}' },
            {
              type: 'command_exit_code_is',
              command: 'node send.mjs GET /repos/a/b | grep -q "gate 2"',
              expected_code: 0,
            },
          ],
        },
      ],
    };
    await project.write('endpoints.scenario.yaml', JSON.stringify(file));
    const { exitCode, stdout, stderr } = await project.cli(['scenario', 'run', 'endpoints.scenario.yaml']);
    expect(stdout + stderr).toContain('✓ pass  string_contains');
    expect(exitCode).toBe(0);
  });
});

describe('a scenario with mocked endpoints is refused', () => {
  const problemsOf = async (more: string, options: ScenarioOptions = {}): Promise<string> => {
    await project.write('refused.yaml', scenario('refused', { ...options, more }));
    const { exitCode, stdout, stderr } = await project.cli(['validate', 'refused.yaml']);
    expect(exitCode).toBe(2);
    return stdout + stderr;
  };
  const ENDPOINT = '\nsetup:\n  mocks:\n    - endpoint: GET /\n';

  it('in a container', async () => {
    expect(await problemsOf(`environment: {type: docker, image: "debian:12"}${ENDPOINT}`)).toMatch(
      /refused\.yaml:11:5 .*HTTP endpoints cannot be mocked in environment\.type docker/,
    );
  });

  it('if a matcher would run outside of the sandbox', async () => {
    expect(await problemsOf(`environment: {type: bubblewrap}${ENDPOINT}      when: {matcher: "true"}\n`)).toMatch(
      /refused\.yaml:12:23 .*the matcher of an endpoint would run outside of the sandbox/,
    );
  });

  it('if a variable for the address has no use, or another value', async () => {
    expect(await problemsOf('setup: {mock_url_variables: [API_URL]}\n')).toContain('setup.mocks has no endpoint');
    expect(
      await problemsOf(`${ENDPOINT}  mock_url_variables: [API_URL]\n`, {
        target: '{binary: cat, env: {API_URL: x}}',
      }),
    ).toContain('API_URL is also set by target.env');
  });

  it('if a service is mocked that the agent does not have', async () => {
    const mocks = 'setup: {mocks: [{service: github, method: list}]}\n';
    await project.write('services.yaml', scenario('services', { more: mocks }));
    const { exitCode, stderr } = await project.cli(['run', 'services.yaml', '--agents', 'mock', '--dry-run']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the agent mock has no services') as string]);
  });
});
