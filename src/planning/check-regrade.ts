import { isMirror } from '../platform/folders.js';
import { modelAsked } from '../scenario/plan.js';
import { checkForHosts } from './check-for-hosts.js';
import { checkCloudSandboxes, checkContainers, checkSandbox } from './check-sandbox.js';
import { checkJudgeConsent } from './check-spending-consent.js';
import { checkWritable, type Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/** Checks that the checks of a sweep can be performed here, and may ask its models. @throws UsageError if not */
export async function checkRegrade(
  project: Project,
  resolved: ResolvedSweep,
  environment: NodeJS.Dict<string>,
): Promise<void> {
  if (isMirror(project.resultsPath)) checkForHosts(project, resolved);
  else {
    await checkSandbox(project, resolved);
    await checkContainers(resolved);
    await checkCloudSandboxes(project, resolved, environment);
  }
  for (const { effective } of resolved.scenarios) {
    const model = modelAsked(effective);
    if (model !== null) checkJudgeConsent(project.config, model, effective.asked === undefined);
  }
  await checkWritable(project.resultsPath);
}
