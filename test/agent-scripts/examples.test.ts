import { describe, expect, test } from 'vitest';
import { privateCopy } from './private-copy.js';
import { readmeOf, scriptNames } from './readme.js';

/** The port that a service got, in an example of another time. */
const withoutPorts = (text: string): unknown => JSON.parse(text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:0'));

describe.each(scriptNames)('the README of %s', (name) => {
  const { examples, command } = readmeOf(name);

  test('has examples, which run as written and answer what they show', async () => {
    const { command: run } = await privateCopy(name);
    expect(examples.length).toBeGreaterThan(0);
    for (const { line, answer } of examples) {
      const { document } = await run(line);
      expect(withoutPorts(JSON.stringify(document)), line).toEqual(withoutPorts(JSON.stringify(answer)));
    }
  });

  test('names where to read more, and the arguments, for --help', async () => {
    const { script, folder } = await privateCopy();
    const { document } = await script(name, '--help');
    expect(document.data).toMatchObject({
      arguments: expect.any(Array) as unknown[],
      readme: expect.stringContaining(`${folder}/.agents/scripts/${name}/README.md`) as string,
    });
  });

  test('gives no permission that is wider than one folder, host or program', () => {
    expect(command).toMatch(
      /^deno run( --allow-(read|write|net|run)=[\w.,/-]+)* \.agents\/scripts\/\S+\/run\.ts$/,
    );
  });
});
