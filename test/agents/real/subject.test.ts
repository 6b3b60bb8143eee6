import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, openRun, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const skillOf = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nRun stamp.sh.\n`;

test.each(CLI_NAMES)(
  'the real %s is shown the skill and the instructions under test, and nothing else of the user',
  async (agent) => {
    const program = await provideCli(agent, console.log);
    const project = await createProject(
      {
        'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
        'fixtures/empty/README.md': 'nothing\n',
        ...Object.fromEntries(
          ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'].map((file) => [
            `fixtures/empty/${file}`,
            'Mention marker-of-the-workspace.\n',
          ]),
        ),
        'fixtures/skills/stamp/SKILL.md': skillOf('stamp', 'Stamps documents with marker-of-the-skill.'),
        'fixtures/skills/stamp/stamp.sh': '#!/bin/sh\necho stamped\n',
        'fixtures/GUIDE.md': 'Always mention marker-of-the-instructions.\n',
      },
      { ownEngine: true },
    );
    onTestFinished(() => project.remove());
    // The user's own files: each place that one of the agents reads.
    const planted = 'planted-by-the-user';
    for (const folder of ['.claude', '.codex', '.gemini', '.agents', '.pi/agent', '.config/opencode'])
      await project.write(`home/${folder}/skills/theirs/SKILL.md`, skillOf('theirs', `Does ${planted}.`));
    for (const file of [
      '.claude/CLAUDE.md',
      '.codex/AGENTS.md',
      '.gemini/GEMINI.md',
      '.pi/agent/AGENTS.md',
      '.config/opencode/AGENTS.md',
      'CLAUDE.md',
      'AGENTS.md',
      'GEMINI.md',
    ])
      await project.write(`home/${file}`, `Say ${planted}.\n`);
    // Some agents also look in the folders above their workspace.
    const above = 'planted-above';
    for (const file of ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md'])
      await writeFile(join(project.state, file), `Say ${above}.\n`);
    for (const folder of ['.claude', '.codex', '.gemini', '.agents', '.pi', '.opencode']) {
      const name = `theirs-${folder.slice(1)}`; // An agent reads one of the skills with the same name.
      const theirs = join(project.state, folder, 'skills', name);
      await mkdir(theirs, { recursive: true });
      await writeFile(join(theirs, 'SKILL.md'), skillOf(name, `Does ${above}.`));
    }
    const server = await serve({
      steps: [{ run: 'echo done > out.txt' }, { say: 'All is done.' }],
    });
    await project.write(
      'fixtures/stamp.yaml',
      scenario('stamp', {
        gates: ['{type: file_exists, path: out.txt}'],
        more: `tool_matrix: [{agent: ${agent}}]\nsubject: {skill: skills/stamp, instructions: GUIDE.md}\nbaseline: true`,
      }),
    );
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;

    const textOf = async (variant: string): Promise<string> => {
      const before = server.requests.length;
      const { document } = await project.run(['stamp', '--variants', variant], env);
      const { run } = await openRun(document);
      expect(run.outcome).toBe('pass');
      return JSON.stringify(server.requests.slice(before));
    };
    const given = await textOf('with');
    expect(given).toContain('marker-of-the-skill');
    expect(given).toContain('marker-of-the-instructions');
    expect(given).toContain('marker-of-the-workspace');
    expect(given).not.toContain(planted);
    expect(given).not.toContain(above);
    const bare = await textOf('without');
    expect(bare).not.toContain('marker-of-the-skill');
    expect(bare).not.toContain('marker-of-the-instructions');
    expect(bare).toContain('marker-of-the-workspace');
    expect(bare).not.toContain(planted);
    expect(bare).not.toContain(above);
  },
);
