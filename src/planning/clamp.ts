import { formatProblem } from '#lib';
import type { ResolvedSweep } from './resolve-sweep.js';

/**
 * Lowers what containers ask for to what this machine has, and returns the sweep with a warning for each that was
 * lowered. What they asked for is stored with the scenario, so that reports say so.
 */
export async function clamp(sweep: ResolvedSweep): Promise<{ sweep: ResolvedSweep; warnings: string[] }> {
  const { moreThanMachine } = await import('#environments');
  const warnings: string[] = [];
  const scenarios: ResolvedSweep['scenarios'] = [];
  for (const one of sweep.scenarios) {
    const { scenario } = one.effective;
    const { environment } = scenario;
    const more = environment.type === 'docker' ? await moreThanMachine(environment) : [];
    if (environment.type !== 'docker' || more.length === 0) {
      scenarios.push(one);
      continue;
    }
    for (const { field, asked, most } of more) {
      const problem = one.variant.problemAt(
        ['environment', field],
        `${asked} is lowered to ${most}, which this machine has`,
      );
      warnings.push(`warning: ${formatProblem(problem)}`);
    }
    const lowered = Object.fromEntries(more.map(({ field, most }) => [field, most]));
    const clamped = Object.fromEntries(more.map(({ field, asked }) => [field, asked]));
    const effective = {
      ...one.effective,
      scenario: { ...scenario, environment: { ...environment, ...lowered } },
      clamped,
    };
    scenarios.push({ ...one, effective });
  }
  return { sweep: { ...sweep, scenarios }, warnings };
}
