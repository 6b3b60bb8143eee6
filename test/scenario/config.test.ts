import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/lib/errors/problem.js';
import { defaultConfig, parseConfig } from '../../src/scenario/config.js';

const problemsOf = (text: string) => {
  const loaded = parseConfig('c.toml', text);
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
};

const full = `
results_path = "out"
fixtures_path = "fx"

[agents.mine]
name = "mine"
command = "./agent"
args = ["--quiet", ""]
prompt = "stdin"
output = "jsonl"
models = ["a", "b"]
version_command = "./agent --version"
free = true
env = { KEY = "\${MY_KEY}" }

[tools."old.one"]
command = "old"

[profiles.quick]
name = "quick"
agents = ["mine"]
tools = ["old.one", "mine"]
models = ["a"]

[target]
binary = "./tool"
command_pattern = '^tool'
health_check = "./tool --version"
[target.env]
HOME_DIR = "x"

[prices."gpt-5.1"]
input_per_mtok = 1.25
output_per_mtok = 10
cache_read_per_mtok = 0.125
cache_write_per_mtok = 0

[judge]
model = "house/large"

[providers.house]
base_url = "http://127.0.0.1:8000/v1"
api_key = "\${HOUSE_KEY}"
free = true

[limits]
concurrency = 4
agents.mine = 2
models."gpt-5.1" = 1
`;

describe('parseConfig', () => {
  it('gives the defaults for an empty file', () => {
    expect(parseConfig('c.toml', '')).toMatchObject({ ok: true, value: defaultConfig });
    expect(defaultConfig).toEqual({
      results_path: 'llm-tool-test-results',
      fixtures_path: 'fixtures',
      agents: {},
      profiles: {},
      providers: {},
      prices: {},
      budgets: { owners: {} },
      require_sandbox: false,
      sandbox: { allow_loopback: [] },
      limits: { agents: {}, models: {} },
    });
  });

  it('merges tools into agents', () => {
    expect(problemsOf(full)).toEqual([]);
    expect(parseConfig('c.toml', full)).toMatchObject({
      ok: true,
      value: {
        results_path: 'out',
        fixtures_path: 'fx',
        agents: {
          mine: {
            command: './agent',
            args: ['--quiet', ''],
            prompt: 'stdin',
            output: 'jsonl',
            models: ['a', 'b'],
            version_command: './agent --version',
            free: true,
            env: { KEY: '${MY_KEY}' },
          },
          'old.one': {
            command: 'old',
            args: [],
            models: [],
            env: {},
          },
        },
        profiles: { quick: { agents: ['mine', 'old.one'], models: ['a'] } },
        target: {
          binary: './tool',
          command_pattern: '^tool',
          health_check: './tool --version',
          env: { HOME_DIR: 'x' },
        },
        prices: {
          'gpt-5.1': {
            input_per_mtok: 1.25,
            output_per_mtok: 10,
            cache_read_per_mtok: 0.125,
            cache_write_per_mtok: 0,
          },
        },
        judge: { model: 'house/large' },
        providers: {
          house: { base_url: 'http://127.0.0.1:8000/v1', api_key: '${HOUSE_KEY}', free: true },
        },
        limits: { concurrency: 4, agents: { mine: 2 }, models: { 'gpt-5.1': 1 } },
      },
    });
  });

  it.each([
    ['results_pth = "x"', ["c.toml:1:1 results_pth: unknown key 'results_pth'; did you mean 'results_path'?"]],
    [
      'results_path = 3',
      ['c.toml:1:16 results_path: expected the path of the results folder, as text (put it in quotes)'],
    ],
    ['[agents.x]', ['c.toml:1:9 agents.x.command: missing: expected the program to start']],
    ['agents = []', ['c.toml:1:10 agents: expected a table, got an empty array']],
    ['agents.x.command = "  "', ['c.toml:1:20 agents.x.command: blank: expected the program to start']],
    [
      '[agents.x]\ncommand = "x"\n  prompt = "stdn"',
      ["c.toml:3:12 agents.x.prompt: expected 'arg', 'stdin' or 'file', got 'stdn'; did you mean 'stdin'?"],
    ],
    [
      '[agents.x]\ncommand = "x"\nargs = ["a", 1]',
      ['c.toml:3:14 agents.x.args[1]: expected a string, got 1; write "1"'],
    ],
    ['[agents.x]\ncommand = "x"\nenv = { A = 1 }', ['c.toml:3:13 agents.x.env.A: expected a string, got 1; write "1"']],
    [
      '[agents.x]\ncommand = "x"\n[tools.x]\ncommand = "y"',
      ["c.toml:3:8 tools.x: agent 'x' is also in [agents]; keep one"],
    ],
    ['[[agents]]\nname = "x"', ['c.toml:1:3 agents: expected a table, got an array']],
    ['[profiles.q]\nmodel = ["x"]', ["c.toml:2:1 profiles.q.model: unknown key 'model'; did you mean 'models'?"]],
    ['[target]\nenv = {}', ['c.toml:1:2 target.binary: missing: expected the name or path of the program under test']],
    [
      'target = "from_config"',
      ["c.toml:1:10 target: expected a table (binary, command_pattern, health_check, env, files), got 'from_config'"],
    ],
    [
      '[prices.m]\ninput_per_mtok = -1',
      [
        'c.toml:1:9 prices.m.output_per_mtok: missing: expected a number',
        'c.toml:2:18 prices.m.input_per_mtok: expected a number of at least 0, got -1',
      ],
    ],
    ['judge.model = "x"', [expect.stringContaining('c.toml:1:15 judge.model: expected provider/model')]],
    [
      '[providers.a]\nbase_url = "localhost:1"\napi_key = "sk-123"',
      [
        'c.toml:2:12 providers.a.base_url: expected an address like "http://127.0.0.1:8000/v1"',
        'c.toml:3:11 providers.a.api_key: expected a variable like "${NAME}": plans store this text, so keys belong in the environment',
      ],
    ],
    [
      '[providers."a b"]\nbase_url = "http://x"',
      [expect.stringMatching(/c\.toml:1:\d+ providers\["a b"\]: expected a name of letters/)],
    ],
    ['limits.concurrency = 0', ['c.toml:1:22 limits.concurrency: expected a number of at least 1, got 0']],
    ['limits.agents.x = 1.5', ['c.toml:1:19 limits.agents.x: expected a whole number, got 1.5']],
    ['results_path = 2020-01-01', [expect.stringContaining('c.toml:1:16 results_path: expected the path')]],
    ['a = 1\na = 2', ['c.toml:2:1 this key or table is defined twice; keep one']],
    ['[agents.x\n', ['c.toml:2:1 the ] of a [table] is missing']],
    ['x', [expect.stringMatching(/^c\.toml:1:\d+ invalid TOML: /)]],
    ['__proto__.x = 1', ["c.toml:1:1 the key '__proto__' is not allowed"]],
    [
      '[agents.x]\nenv = { __proto__ = "1" }',
      [expect.stringContaining("c.toml:2:9 the key '__proto__' is not allowed")],
    ],
    [`a${'.a'.repeat(30)} = 1`, ['c.toml:1:1 expected at most 20 parts in a dotted key, got 31']],
    ['[agents.x]\r\ncommand = 3\r\n', [expect.stringContaining('c.toml:2:11 agents.x.command')]],
    ['\uFEFFfoo = 3', [expect.stringContaining("c.toml:1:1 foo: unknown key 'foo'")]],
  ])('refuses %j with the place of the problem', (text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  it.each(['[', '{a='])('refuses %j 50,000 times instead of running out of stack', (opening) => {
    expect(problemsOf(`x = ${opening.repeat(50_000)}`)).toEqual([
      expect.stringContaining('nested more than 100 levels deep'),
    ]);
  });

  it('does not count brackets in strings and comments', () => {
    const text = `# ${'['.repeat(200)}\nresults_path = "${'{'.repeat(200)}"\nfixtures_path = '''\n${'['.repeat(200)}'''`;
    expect(problemsOf(text)).toEqual([]);
  });

  it('leaves the prototype of objects alone', () => {
    parseConfig('c.toml', '[__proto__]\npolluted = 1\n[agents.__proto__]\npolluted = 1');
    expect('polluted' in {}).toBe(false);
  });

  it('gives for any text, damaged or not, a value or problems located inside the text', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '[',
        ']',
        '[[a]]',
        '{',
        '}',
        '"',
        '"""',
        "'''",
        '\n',
        '\r\n',
        ' = ',
        '.',
        ',',
        '#',
        '1979-05-27',
        'nan',
        '\t',
      ),
    );
    const text = fc.oneof(
      fc.array(piece).map((parts) => parts.join('')),
      fc
        .tuple(fc.nat({ max: full.length }), fc.nat({ max: 30 }), piece)
        .map(([at, length, put]) => full.slice(0, at) + put + full.slice(at + length)),
    );
    fc.assert(
      fc.property(text, (toml) => {
        const loaded = parseConfig('c.toml', toml);
        if (loaded.ok) return;
        const lines = toml.replace(/^\uFEFF/, '').split('\n');
        for (const { line, column, message } of loaded.problems) {
          expect(message).not.toMatch(/^$|undefined|\[object/);
          expect(line).toBeGreaterThanOrEqual(1);
          expect(lines.length).toBeGreaterThanOrEqual(line);
          expect(column).toBeGreaterThanOrEqual(1);
          expect((lines[line - 1] ?? '').length + 1).toBeGreaterThanOrEqual(column);
        }
      }),
      { numRuns: 1500 },
    );
  });
});
