import { formatProblem } from '../lib/errors/problem.js';
import { mockedTools } from '../mocks/answer-to-tool.js';
import { findExecutable } from '../platform/process/find-executable.js';
import type { SelectedScenario } from './select-scenarios.js';

/**
 * Returns a warning for each MCP server under test whose program is not on PATH, with its place in the file. Like a target, it may
 * be installed before it is needed. A server for which mocks stand wholly is not started. Paths were checked before.
 */
export async function serverWarnings(scenarios: readonly SelectedScenario[]): Promise<Set<string>> {
  const warnings = new Set<string>();
  for (const { variants } of scenarios)
    for (const { scenario, problemAt } of variants)
      for (const [index, { mcp }] of (scenario.subject ?? []).entries()) {
        if (mcp?.command === undefined || mcp.command.includes('/')) continue;
        if (mockedTools(scenario.mocks ?? [], mcp.name) !== null) continue;
        if ((await findExecutable(mcp.command)) !== null) continue;
        const message = `the program '${mcp.command}' was not found on PATH; install it or give its path`;
        warnings.add(`warning: ${formatProblem(problemAt(['subject', index, 'mcp', 'command'], message))}`);
      }
  return warnings;
}
