import { readFileSync } from 'node:fs';
import { stdout } from 'node:process';
import { packageFile } from '#host';
import { printJson } from '../shared/output.js';

/**
 * `scripts prompt`: prints the lines to put into AGENTS.md so that agents find the scripts. Their cost is in
 * specs/reference/agent-scripts.md.
 */
export function printScriptsPrompt({ json }: { json: boolean }): number {
  const prompt = readFileSync(packageFile('dist/templates/agent-scripts/prompt.md'), 'utf8');
  if (json) printJson({ prompt });
  else stdout.write(prompt);
  return 0;
}
