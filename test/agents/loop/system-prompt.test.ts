import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SUMMARY_ORDER, SUMMARY_SYSTEM } from '../../../src/activities/loop/compaction.js';
import { systemPrompt } from '../../../src/agents/loop/system-prompt.js';
import { REPOSITORY } from '../../commands/project.js';

test('the documentation shows the prompts', () => {
  const page = readFileSync(join(REPOSITORY, 'specs/reference/loop.md'), 'utf8');
  const prompt = systemPrompt({ workspace: '<workspace>', instructions: [], skills: [], added: null });
  for (const text of [prompt, SUMMARY_SYSTEM, SUMMARY_ORDER]) expect(page).toContain(`\`\`\`text\n${text}\n\`\`\``);
});

test('the parts of a run follow in their order', () => {
  const prompt = systemPrompt({
    workspace: '/w',
    instructions: ['Be brief.\n', 'Use `stock`.'],
    skills: [{ name: 'pdf', description: 'Reads PDF files', path: '/home/.agents/skills/pdf/SKILL.md' }],
    added: '$ stock list\nlamps 3\n',
  });
  expect(prompt.split('\n\n').slice(1)).toEqual([
    '# Instructions (AGENTS.md)',
    'Be brief.',
    '# Instructions (AGENTS.md)',
    'Use `stock`.',
    '# Skills',
    'Before you do something that a skill is about, read its file.',
    '- pdf: Reads PDF files (/home/.agents/skills/pdf/SKILL.md)',
    '$ stock list\nlamps 3',
  ]);
});
