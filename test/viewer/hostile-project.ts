import { HOSTILE, LONGEST_LINE } from '../hostile-texts.js';
import { createProject, type TestProject } from '../commands/project.js';

/** The length of an output that is one. */
export const LONG_OUTPUT = 200_000;

const AGENT = `
const { writeFileSync } = require('node:fs');
const hostile = ${JSON.stringify(HOSTILE)};
const emit = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
emit({ type: 'session', session_id: hostile, model_requested: hostile, model_used: hostile });
emit({ type: 'message', role: 'assistant', text: hostile });
emit({ type: 'reasoning', text: hostile });
emit({ type: 'tool_call', id: '1', name: hostile, input: { [hostile]: hostile }, command: null });
emit({ type: 'tool_result', id: '1', exit_code: null, is_error: true, output: hostile, truncated: false });
emit({ type: 'tool_call', id: '2', name: 'shell', input: null, command: hostile });
emit({ type: 'tool_result', id: '2', exit_code: 1, is_error: true, output: 'x'.repeat(${LONG_OUTPUT - 6}) + 'needle', truncated: false });
emit({ type: 'message', role: 'assistant', text: 'y'.repeat(${LONGEST_LINE}) });
emit({ type: 'error', message: hostile, retryable: false });
process.stdout.write(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d, 0x0a]));
writeFileSync('<img src=x onerror=hack>.md', hostile + '\\n');
writeFileSync('binary.dat', Buffer.from([0xff, 0x00, 0xfe]));
emit({ type: 'result', ending: hostile, exit_code: 0 });
`;

/** A project whose agent, files and gates contain hostile text everywhere. */
export async function createHostileProject(): Promise<TestProject> {
  const project = await createProject({
    'fixtures/empty/README.md': 'nothing\n',
    'llm-tool-test-config.toml': '[agents.hostile]\ncommand = "./hostile.cjs"\noutput = "jsonl"\nfree = true\n',
    'fixtures/hostile.yaml': JSON.stringify({
      name: 'hostile',
      description: HOSTILE.split('\n')[0],
      template_folder: 'empty',
      target: { binary: 'cat' },
      task: { prompt: HOSTILE.replace(/[\0\p{Cs}\ufffe]/gu, '') },
      evaluation: {
        gates: [{ type: 'file_contains', name: '<b>bold</b> gate', path: 'README.md', substring: '</script>' }],
      },
    }),
  });
  await project.write('hostile.cjs', `#!/usr/bin/env node\n${AGENT}`, 0o755);
  return project;
}
