import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../host/temporary.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { RECIPES } from '../recipes.js';
import { serve } from '../serve.js';

describe.each(CLI_NAMES)('the real %s', (name) => {
  it('runs a command for the scripted model, and ends successfully', async () => {
    const program = await provideCli(name, console.log);
    const server = await serve({
      steps: [{ run: 'echo hello > out.txt && cat out.txt' }, { say: 'It is done.' }],
    });
    const root = await newFolder();
    const [home, workspace, stdout] = [join(root, 'home'), join(root, 'workspace'), join(root, 'stdout')];
    const recipe = RECIPES[name]({ url: server.url, home, prompt: 'Make out.txt.' });
    await mkdir(workspace);
    for (const { path, content } of recipe.files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }

    const { exitCode } = await execa(program, recipe.args, {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: root, TERM: 'dumb', ...recipe.env },
      extendEnv: false,
      stdin: 'ignore',
      stdout: { file: stdout }, // some agents lose the output that is still in a pipe when they end
      reject: false,
    });

    expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe('hello\n');
    const lines = (await readFile(stdout, 'utf8')).trim().split('\n');
    let answer = ''; // some agents print a message in parts
    const events = lines.map((line) => {
      const collect = (key: string, value: unknown): unknown => {
        if ((key === 'text' || key === 'content') && typeof value === 'string') answer += value;
        return value;
      };
      return JSON.parse(line, collect) as Record<string, unknown>;
    });
    expect(answer).toContain('It is done.');
    expect(recipe.succeeded(events)).toBe(true);
    expect(exitCode).toBe(0);
    expect(server.requests).toMatchObject([
      { toolResults: 0, key: 'key-of-the-test' },
      { toolResults: 1, unpaired: [] },
    ]);
  });
});
