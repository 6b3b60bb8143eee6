import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/lib/json.js';
import type { Call } from '../../src/mocks/call.js';
import { CommandMock } from '../../src/mocks/command-mock.js';
import { EndpointMock } from '../../src/mocks/endpoint-mock.js';
import { ServiceMock } from '../../src/mocks/service-mock.js';
import { fillJson, fillTemplate, fillToValue } from '../../src/mocks/template.js';

const call = (args: Json[], input: Json = null, context: Call['context'] = {}): Call => ({
  args,
  input,
  context,
});

/** Any text, often with what a shell, a template or JSON would interpret. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('$(id)', '`id`', '"', "'", '\n', '../x', '${args[0]}', '$${args[0]}', '$&', '\\', ';'),
  fc.constantFrom('", "admin": true, "x": "', '{"a": 1}', '[1', '${input.constructor}'),
);

describe('a template', () => {
  it('contains arguments, input and context exactly as they are', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (argument, stdin, step) => {
        const to = call([argument], { stdin }, { step });
        expect(fillTemplate('<${args[0]}|${input.stdin}|${context.step}|${args[0]}>', to)).toBe(
          `<${argument}|${stdin}|${step}|${argument}>`,
        );
      }),
    );
  });

  it('is unchanged if it has no placeholder', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(!text.includes('${'));
        expect(fillTemplate(text, call(['a']))).toBe(text);
      }),
    );
  });

  it('has empty text for a value that is missing, and $${...} for a literal ${...}', () => {
    const to = call(['a', { b: [1, { c: 'd' }] }], { x: null });
    expect(fillTemplate('[${args[7]}] $${args[0]} ${args[1].b[1].c} ${args[1].z.y}', to)).toBe('[] ${args[0]} d ');
    for (const name of ['args.length', 'args[0].length', 'input.constructor', 'input.__proto__', 'context.toString'])
      expect(fillTemplate(`\${${name}}`, to), name).toBe('');
  });

  it('has JSON for a value that is not text', () => {
    expect(fillTemplate('${args[0]} ${input} ${context.turn}', call([[1, 'x']], { a: null }, { turn: 2 }))).toBe(
      '[1,"x"] {"a":null} 2',
    );
  });

  it('is refused with a placeholder that its kind of mock does not have', () => {
    const isAccepted = {
      command: (response: string) => CommandMock.safeParse({ command: 'gh', response }).success,
      service: (responseFn: string) => ServiceMock.safeParse({ service: 's', method: 'm', responseFn }).success,
      endpoint: (response: string) =>
        EndpointMock.safeParse({ endpoint: 'GET /', response: { a: [response] } }).success,
    };
    const accepted = (name: string) =>
      Object.entries(isAccepted).flatMap(([kind, accepts]) => (accepts(`a \${${name}} b`) ? [kind] : []));
    for (const name of ['args', 'args[x]', 'args[-1]', 'HOME', 'toString', '', '__proto__', 'context.x', 'args[0]()'])
      expect(accepted(name), name).toEqual([]);
    expect(accepted('args[0]')).toEqual(['command', 'service', 'endpoint']);
    expect(accepted('input.stdin')).toEqual(['command', 'service']);
    expect(accepted('input.body.items[0].name')).toEqual(['service', 'endpoint']);
    expect(accepted('input.query.page')).toEqual(['service', 'endpoint']);
    expect(accepted('context.action')).toEqual(['service']);
    for (const kind of Object.values(isAccepted)) expect(kind('$${HOME} $HOME ${')).toBe(true);
  });
});

describe('a value with placeholders', () => {
  it('keeps its form, whatever the values contain', () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostile, (value, text) => {
        const template = JSON.parse(JSON.stringify({ value, text: '<${args[0]}>' })) as { value: Json };
        fc.pre(!JSON.stringify(value).includes('${'));
        expect(fillJson(template, call([text]))).toEqual({ value: template.value, text: `<${text}>` });
      }),
    );
  });

  it('that is JSON is not changed in form by quotes in a value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(fillToValue('{"name": "${args[0]}", "list": ["${args[0]}"]}', call([text]))).toEqual({
          name: text,
          list: [text],
        });
      }),
    );
  });

  it('is read as JSON if the result begins with a brace or a bracket, else it is text', () => {
    const to = call([{ id: 7 }, 3, '[1, 2]', '{broken']);
    expect(fillToValue('${args[0]}', to)).toEqual({ id: 7 });
    expect(fillToValue('{"count": ${args[1]}}', to)).toEqual({ count: 3 });
    expect(fillToValue('${args[2]}', to)).toEqual([1, 2]);
    expect(fillToValue('${args[3]}', to)).toBe('{broken');
    expect(fillToValue('id ${args[0].id}', to)).toBe('id 7');
    expect(fillToValue('${args[1]}', to)).toBe('3');
  });
});
