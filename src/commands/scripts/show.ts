import { stdout } from 'node:process';
import { permissionsOf, usageCommand } from '#agent-scripts';
import { ownCommand } from '#host';
import { renderTable, terminalText, UsageError } from '#lib';
import { printJson, textOptions } from '../shared/output.js';
import { findScript, findScriptsRoot, listScripts } from './find-scripts.js';

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
    const lines = rows.length === 0 ? [`no scripts yet; create one with ${ownCommand('scripts new <name>')}`] : [];
    stdout.write(`${[...lines, ...renderTable(rows, { width: textOptions().width })].join('\n')}\n`);
  }
  return 0;
}

/** `scripts show`: prints a script's README, which is what agents read; with --json, what we parse from it. */
export function showAgentScript(nameOrPath: string, { json }: { json: boolean }): number {
  const { name, source, readme, readme_text, parsedReadme } = findScript(findScriptsRoot(), nameOrPath);
  if (parsedReadme === null || readme_text === null)
    throw new UsageError('no_readme', `${readme} is missing, so agents cannot know how to use ${name}`);
  if (!json) {
    stdout.write(readme_text.endsWith('\n') ? readme_text : `${readme_text}\n`);
    return 0;
  }
  const usage = usageCommand(parsedReadme);
  printJson({
    name,
    path: source,
    summary: parsedReadme.summary?.value ?? null,
    usage: parsedReadme.usage?.value ?? null,
    permissions: typeof usage === 'string' ? null : Object.fromEntries(permissionsOf(usage.flags)),
    arguments: parsedReadme.arguments.map(({ value }) => value),
    error_codes: parsedReadme.codes.map(({ value }) => value),
    examples: parsedReadme.examples.map(({ command }) => command),
    readme: readme_text,
  });
  return 0;
}
