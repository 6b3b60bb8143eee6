import { stdout } from 'node:process';
import { DISCOVERY_PROMPT } from '../../agent-scripts/prompt.js';
import { printJson } from '../output.js';

/** `scripts prompt`: the lines to put into AGENTS.md so that agents find the scripts. */
export function printScriptsPrompt({ json }: { json: boolean }): number {
  if (json) printJson({ prompt: DISCOVERY_PROMPT });
  else stdout.write(DISCOVERY_PROMPT);
  return 0;
}
