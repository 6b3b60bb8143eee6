import { checkGate } from './check-gate.js';
import { cleanUp } from './clean-up.js';
import { explainAll } from './step/explain.js';
import { finishSweep } from './finish-sweep.js';
import { judgeRun } from './judge-run.js';
import { loadCells } from './load-cells.js';
import { prepareWorkspace } from './prepare-workspace.js';
import { reuseResult } from './reuse-result.js';
import type { Deps } from './step/run-context.js';
import { runAgent } from './run-agent.js';
import { runContextScript } from './run-context-script.js';
import { runEvaluator } from './run-evaluator.js';
import { runPostScript } from './run-post-script.js';
import { writeReport } from './write-report.js';

/** All steps, as Temporal activities of one worker. */
export const createActivities = (deps: Deps) =>
  explainAll({
    loadCells: loadCells(deps),
    finishSweep: finishSweep(deps),
    prepareWorkspace: prepareWorkspace(deps),
    runContextScript: runContextScript(deps),
    runAgent: runAgent(deps),
    runPostScript: runPostScript(deps),
    checkGate: checkGate(deps),
    runEvaluator: runEvaluator(deps),
    judgeRun: judgeRun(deps),
    reuseResult: reuseResult(deps),
    writeReport: writeReport(deps),
    cleanUp: cleanUp(deps),
  });
export type Activities = ReturnType<typeof createActivities>;
