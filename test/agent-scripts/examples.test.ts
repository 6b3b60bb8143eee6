import { describe, expect, test } from 'vitest';
import { privateCopy } from './private-copy.js';
import { readmeOf, scriptNames } from './readme.js';

/** Parses a text without the port of the service, which differs from that in the example. */
const withoutPorts = (text: string): unknown => JSON.parse(text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:0'));

describe.each(scriptNames)('the README of %s', (name) => {
  const { examples, command } = readmeOf(name);

  test('has examples that run as written and give the shown answers', async () => {
    const { command: run } = await privateCopy(name);
    expect(examples.length).toBeGreaterThan(0);
    for (const { line, answer } of examples) {
      const { document } = await run(line);
      expect(withoutPorts(JSON.stringify(document)), line).toEqual(withoutPorts(JSON.stringify(answer)));
    }
  });

  test('is named by --help, together with the arguments', async () => {
    const { script, folder } = await privateCopy();
    const { document } = await script(name, '--help');
    expect(document.data).toMatchObject({
      arguments: expect.any(Array) as unknown[],
      readme: expect.stringContaining(`${folder}/.agents/scripts/${name}/README.md`) as string,
    });
  });

  test('grants no permission wider than one folder, host or program', () => {
    expect(command).toMatch(/^deno run( --allow-(read|write|net|run)=[\w.,/-]+)* \.agents\/scripts\/\S+\/run\.ts$/);
  });
});
