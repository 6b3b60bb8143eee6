import { join } from 'node:path';
import { stdout } from 'node:process';
import { NO_DENO, readmeProblems, sourceProblems } from '#agent-scripts';
import { findDeno } from '#host';
import { codeFrame, formatProblem, InfrastructureError, type Problem } from '#lib';
import { isFile, readText } from '#planning';
import { printJson } from '../shared/output.js';
import { findScript, findScriptsRoot, listScripts, type FoundScript } from './find-scripts.js';
import { runExamples } from './run-examples.js';

/**
 * `scripts check`: checks README, source and answers of scripts against the contract, and reports all problems. Returns
 * the exit code, 1 if there are any.
 */
export async function checkAgentScripts(
  name: string | undefined,
  { json }: { json: boolean },
): Promise<number> {
  const root = findScriptsRoot();
  const scripts = name === undefined ? listScripts(root) : [findScript(root, name)];
  const deno = await findDeno(root);
  if (deno === null) throw new InfrastructureError(NO_DENO);
  const problems: Problem[] = [];
  for (const script of scripts) problems.push(...(await problemsOf(root, script, deno)));
  if (json)
    printJson({ valid: problems.length === 0, scripts: scripts.map((script) => script.name), problems });
  else stdout.write(describe(root, scripts.length, problems));
  return problems.length === 0 ? 0 : 1;
}

async function problemsOf(root: string, script: FoundScript, deno: string): Promise<Problem[]> {
  const missing = [script.source, script.readme].filter((file) => !isFile(join(root, file)));
  if (missing.length > 0 || script.parsedReadme === null)
    return missing.map((file) => ({ file, line: 1, column: 1, path: '', message: 'missing' }));
  return [
    ...readmeProblems(script.parsedReadme, script).map((problem) => ({
      ...{ file: script.readme, column: 1, path: '' },
      ...problem,
    })),
    ...sourceProblems(script.parsedReadme, script, (path) => readText(join(root, path))),
    ...(await runExamples(root, script, deno)),
  ];
}

function describe(root: string, count: number, problems: Problem[]): string {
  const framed = problems.map((problem) => {
    const text = readText(join(root, problem.file));
    return `${formatProblem(problem)}\n${text === null ? '' : `${codeFrame(text, problem.line, problem.column)}\n`}`;
  });
  const of = `${count} script${count === 1 ? '' : 's'}`;
  const end =
    problems.length === 0
      ? `${of}: README, source and examples agree`
      : `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${of}`;
  return [...framed, end, ''].join('\n');
}
