import { expect, it } from 'vitest';
import { check, newWorkspace, realContext } from '../real-context.js';

const jsonPath = (command: string, path: string, assertion: string) =>
  check({ type: 'command_json_path', command, path, assertion });
const notes = `echo '{"items":[{"name":"a","n":1},{"name":"b","n":2}],"none":null,"price":3.0}'`;

it('passes when the assertion holds for what the path finds', async () => {
  expect(await jsonPath(notes, '$.items[0].name', ' equals a ')).toEqual({
    status: 'pass',
    message: '$.items[0].name equals a',
  });
  expect((await jsonPath(notes, '$.price', 'equals 3')).status).toBe('pass');
  expect((await jsonPath(notes, '$.items', 'len == 2')).status).toBe('pass');
});

it('fails with what was expected and what was found', async () => {
  expect(await jsonPath(notes, '$.items[1].n', '> 5')).toEqual({
    status: 'fail',
    message: '$.items[1].n: expected > 5, found 2',
  });
});

it('a path that can name many values gives an array, even of one', async () => {
  expect((await jsonPath(notes, '$.items[*].n', 'equals [1, 2]')).status).toBe('pass');
  expect((await jsonPath(notes, '$.items[?@.n == 2].name', 'equals ["b"]')).status).toBe('pass');
  expect((await jsonPath(notes, '$.items[?@.n == 2].name', 'equals b')).status).toBe('fail');
});

it('says "path not found" for nothing, also where many values could be', async () => {
  for (const path of ['$.missing', '$.items[7]', '$.price.deep', '$.items[?@.n > 9]', '$..nowhere']) {
    expect(await jsonPath(notes, path, 'exists')).toEqual({
      status: 'fail',
      message: `${path}: path not found`,
    });
  }
});

it('a missing value is not null', async () => {
  expect((await jsonPath(notes, '$.none', 'equals null')).status).toBe('pass');
  expect((await jsonPath(notes, '$.missing', 'equals null')).message).toContain('path not found');
});

it('the exit code comes before the output', async () => {
  expect(await jsonPath(`${notes}; echo no >&2; exit 2`, '$.price', 'exists')).toEqual({
    status: 'fail',
    message: 'exit 2: no',
  });
});

it('stdout must be exactly one JSON value', async () => {
  for (const command of ['echo not json', 'true', `echo '{"a":1} {"a":2}'`, `echo 'log line'; echo '{"a":1}'`]) {
    const { status, message } = await jsonPath(command, '$.a', 'exists');
    expect(status).toBe('fail');
    expect(message).toMatch(/^stdout is not one JSON value/);
  }
});

it('says that stdout was cut, even where the rest would still be JSON', async () => {
  const context = realContext(await newWorkspace(), { cap: 3 });
  const gate = { type: 'command_json_path', command: 'echo 12345', path: '$', assertion: 'equals 123' };
  expect(await check(gate, context)).toEqual({
    status: 'fail',
    message: 'stdout is too long to be read as JSON: only the first 3 of 6 bytes of stdout were kept',
  });
});

it('output that is nested deeply is judged, not a crash', async () => {
  const deep = `node -e 'process.stdout.write("[".repeat(20000) + "]".repeat(20000))'`;
  expect((await jsonPath(deep, '$', 'equals [[1]]')).status).toBe('fail');
  expect((await jsonPath(deep, '$[0]', 'len == 1')).status).toBe('pass');
});
