import { UsageError } from '#lib';
import { draftOf, openProject, plan, selectScenarios, type ResolvedSweep } from '#planning';
import type { RunScenariosOptions } from '../sweep.js';

/** Reads and checks what would be run. Writes and starts nothing. @throws UsageError */
export async function planScenarios(options: RunScenariosOptions): Promise<ResolvedSweep> {
  const { files = [], env = {}, onNotice = () => undefined, results } = options;
  const list = (names: readonly string[] = []): string[] => [...names];
  const draft = draftOf({
    files: typeof files === 'string' ? [files] : list(files),
    all: options.all,
    tags: list(options.tags),
    tier: options.tier,
    agents: list(options.agents),
    models: list(options.models),
    variants: list(options.variants),
    withBaseline: options.withBaseline,
    profile: options.profile,
    repeat: options.repeat,
    cells: list(options.cells),
    concurrency: options.concurrency,
    cache: options.cache,
    maxUsd: options.maxUsd,
    timeoutSecs: options.timeoutSecs,
    targetBinary: options.targetBinary,
    judge: options.judge,
    judgeModel: options.judgeModel,
    isJudgeNamed: options.judgeModel !== undefined,
    live: options.live,
    name: options.name,
    owner: options.owner,
    variables: { ...env },
    regrade: false,
  });
  if (draft.files.length === 0 && !draft.all && draft.tags.length === 0 && draft.tier === null)
    throw new UsageError('nothing_selected', 'no scenarios given: set files, all, tags or tier');
  const project = openProject(results);
  const planned = await plan(project, await selectScenarios(project, draft), draft, () => {
    throw new UsageError('usage', 'only a finished sweep can be a base');
  });
  for (const notice of planned.notices) onNotice(notice);
  return planned.sweep;
}
