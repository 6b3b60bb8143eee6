import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withRegistered } from '../../../src/scenario/yaml/acp-registry.js';

const table = (id: string, more = {}) => ({
  ...{ args: ['-m', '{model}'], models: [], env: { B: 'mine' }, acp: true as const },
  ...{ registry: { file: 'registry.json', id } },
  ...more,
});
const SYSTEM = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
/** As the public registry of ACP has it. */
const REGISTRY = {
  version: '1.0.0',
  agents: [
    {
      id: 'qwen-code',
      name: 'Qwen Code',
      version: '0.24.4',
      authors: ['Alibaba'],
      distribution: { npx: { package: '@qwen-code/qwen-code@0.24.4', args: ['--acp'], env: { A: '1', B: '2' } } },
    },
    { id: 'named', version: '1.2', distribution: { npx: { package: '@a/b', cmd: 'c' } } },
    { id: 'python', version: '3.0', distribution: { uvx: { package: 'fast-agent[acp]', args: ['serve'] } } },
    { id: 'python-named', version: '3.0', distribution: { uvx: { package: 'fast==2.0', cmd: 'fast-acp' } } },
    { id: 'archive', version: '1', distribution: { binary: { [SYSTEM]: { cmd: './x', args: ['acp'] } } } },
    { id: 'elsewhere', version: '1', distribution: { binary: { 'windows-9': { cmd: './x' } } } },
  ],
};
const read = (id: string, registry: unknown = REGISTRY, more = {}) => {
  const text = typeof registry === 'string' ? registry : JSON.stringify(registry, null, 1);
  const found = withRegistered(table(id, more), 'registry.json', text);
  return found.ok ? found.value : found.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
};

describe('an agent of a registry', () => {
  it.each([
    ['qwen-code', 'npx', ['--no', '--', '@qwen-code/qwen-code@0.24.4', '--acp']],
    ['named', 'npx', ['--no', '--package', '@a/b@1.2', '--', 'c']],
    ['python', 'uvx', ['--offline', 'fast-agent[acp]==3.0', 'serve']],
    ['python-named', 'uvx', ['--offline', '--from', 'fast==2.0', 'fast-acp']],
  ])('%s is started without installing anything', (id, command, args) => {
    expect(read(id)).toMatchObject({ command, args: [...args, '-m', '{model}'] });
  });

  it('has the variables of the registry, unless the config sets them', () => {
    expect(read('qwen-code')).toMatchObject({ env: { A: '1', B: 'mine' } });
  });

  it('is started by the program that the config names', () => {
    const own = { command: './own' };
    expect(read('qwen-code', REGISTRY, own)).toMatchObject({ command: './own', args: ['--acp', '-m', '{model}'] });
    expect(read('archive', REGISTRY, own)).toMatchObject({ command: './own', args: ['acp', '-m', '{model}'] });
  });

  const only = (distribution: object, id = 'x') => ({ agents: [{ id, distribution }] });
  it.each<[string, unknown, string]>([
    ['qwen-cod', REGISTRY, "3 agents: has no agent with the id 'qwen-cod'; did you mean 'qwen-code'?"],
    ['archive', REGISTRY, 'is an archive, which is never downloaded: unpack it, and add its program to the config'],
    ['elsewhere', REGISTRY, `has no npx, uvx or binary.${SYSTEM}`],
    ['x', '', '1 : the file is empty; expected a map'],
    ['x', '[]', '1 : expected a map (agents), got an empty list'],
    ['x', '{"agents": 3}', '1 agents: expected a list, got 3'],
    ['x', '{\n"agents": [}', '2 '],
    ['x', '{\n"agents":\n[{"distribution": {}}]}', '3 agents[0].id: missing: expected the id of the agent'],
    ['x', { agents: [...only({}).agents, ...only({}).agents] }, "two agents have the id 'x'"],
    ['x', only({ npx: { package: 'git+https://host/x.git' } }), 'expected the name of a package'],
    ['x', only({ npx: { package: '../x' } }), 'expected the name of a package'],
    ['x', only({ npx: { package: '--call=rm' } }), 'expected the name of a package'],
    ['x', only({ npx: { package: 'a', cmd: '-c' } }), 'expected the name of a program'],
    ['x', only({ npx: { package: 'a', cmd: '../c' } }), 'expected the name of a program'],
    ['x', only({ npx: { package: 'a', args: '--acp' } }), "args: expected a list, got '--acp'"],
    ['x', only({ npx: { package: 'a', args: ['a\0b'] } }), 'contains a NUL character'],
    [
      'x',
      only({ npx: { package: 'a', env: { A: '${OPENAI_API_KEY}' } } }),
      'a registry cannot name variables of yours',
    ],
    ['x', only({ npx: { package: 'a', env: { 'A=B': '' } } }), 'expected the name of a variable'],
    ['__proto__', only({}), "has no agent with the id '__proto__'"],
  ])('is refused with its line (%#: %s)', (id, registry, message) => {
    expect(JSON.stringify(read(id, registry))).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('never crashes, whatever the file contains', () => {
    const hostile = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, 3, '', '-x', '@a/b', 'x', true, 'a\0'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'agents',
            'id',
            'distribution',
            'npx',
            'uvx',
            'binary',
            'package',
            'args',
            'env',
            '__proto__',
          ),
          tie('node'),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.array(hostile).map((agents) => ({ agents })),
        ),
        (value) => {
          expect(read('x', JSON.stringify(value))).toBeDefined();
        },
      ),
    );
  });
});
