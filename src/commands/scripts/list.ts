import { stdout } from 'node:process';
import { ownCommand } from '#host';
import { renderTable, terminalText } from '#lib';
import { printJson, textOptions } from '../shared/output.js';
import { findScriptsRoot, listScripts } from './find-scripts.js';

/** `scripts list`: lists the name and summary of each script. */
export function listAgentScripts({ json }: { json: boolean }): number {
  const scripts = listScripts(findScriptsRoot()).map(({ name, source, parsedReadme }) => ({
    name,
    summary: parsedReadme?.summary?.value ?? null,
    usage: parsedReadme?.usage?.value ?? null,
    path: source,
  }));
  if (json) printJson({ scripts });
  else {
    const rows = scripts.map(({ name, summary }) => [
      terminalText(name),
      terminalText(summary ?? '(no Summary in its README.md)'),
    ]);
    const lines =
      rows.length === 0 ? [`no scripts yet; create one with ${ownCommand('scripts new <name>')}`] : [];
    stdout.write(`${[...lines, ...renderTable(rows, { width: textOptions().width })].join('\n')}\n`);
  }
  return 0;
}
