import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Metrics } from '../../../src/model/records/result-line.js';
import { harborJob, harborTrial } from '../../../src/reports/formats/harbor-job.js';
import { trajectoryOf } from '../../../src/reports/formats/atif.js';
import { newFolder } from '../../host/temporary.js';
import { capturedRuns } from '../../reports/formats/captured-runs.js';
import { provideHarbor } from '../clis.js';

/** Reads jobs as Harbor's viewer does, and counts the trials of each as Harbor does. */
const READ = `
import importlib.util, json, sys, typing, typing_extensions
from pathlib import Path
# Harbor expects a newer Python.
typing.override, typing.TypedDict = typing_extensions.override, typing_extensions.TypedDict
import harbor
from harbor.models.job.config import JobConfig
from harbor.models.job.result import JobResult, JobStats
from harbor.models.trial.config import TrialConfig
from harbor.models.trial.result import TrialResult
from harbor.utils.trajectory_validator import TrajectoryValidator

# The part of the viewer that looks for jobs; the others need a server.
spec = importlib.util.spec_from_file_location("scanner", Path(harbor.__file__).parent / "viewer" / "scanner.py")
viewer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(viewer)
scanner = viewer.JobScanner(Path(sys.argv[1]))

found = {}
for job in sorted(Path(sys.argv[1]).iterdir()):
    JobConfig.model_validate_json((job / "config.json").read_text())
    result = JobResult.model_validate_json((job / "result.json").read_text())
    trials, invalid = [], []
    for folder in sorted(path for path in job.iterdir() if path.is_dir()):
        TrialConfig.model_validate_json((folder / "config.json").read_text())
        trials.append(TrialResult.model_validate_json((folder / "result.json").read_text()))
        trajectory = folder / "agent" / "trajectory.json"
        validator = TrajectoryValidator()
        if trajectory.exists() and not validator.validate(json.loads(trajectory.read_text())):
            invalid.append([folder.name, validator.get_errors()])
    counted = JobStats.from_trial_results(trials, n_total_trials=result.n_total_trials)
    def plain(stats):
        value = stats.model_dump(mode="json")
        for one in value["evals"].values():
            # In JSON, a reward is a key: 1, as it was counted, and 1.0, as it is read, are the same.
            one["reward_stats"] = {
                key: {str(float(reward)): sorted(names) for reward, names in rewards.items()}
                for key, rewards in one["reward_stats"].items()
            }
            for names in one["exception_stats"].values():
                names.sort()
        return value
    found[job.name] = {
        "viewed": [scanner.list_jobs(), [scanner.get_job_config(job.name), scanner.get_job_result(job.name)].count(None)],
        "trials": [name for name in scanner.list_trials(job.name) if scanner.get_trial_result(job.name, name)],
        "rewards": [trial.verifier_result and trial.verifier_result.rewards for trial in trials],
        "alike": plain(counted) == plain(result.stats) or [plain(counted), plain(result.stats)],
        "invalid": invalid,
    }
print(json.dumps(found))
`;

const gate = (type: string, detail: Metrics['details'][number]['detail']): Metrics['details'][number] => ({
  ...{ index: 0, gate_type: type, name: null, subject: '/tests/test.sh', status: 'pass', passed: true },
  ...{ message: 'reward 1', detail, duration_ms: 1 },
});

test("Harbor's own models accept a sweep as a job, and count its trials alike", async () => {
  const [command = '', ...args] = await provideHarbor();
  const jobs = await newFolder();
  const runs = capturedRuns().map(({ record, events }, at) => ({
    record: {
      ...record,
      run_id: `run-${at}`,
      outcome: (['pass', 'fail', 'error', 'cancelled'] as const)[at % 4] ?? 'pass',
    },
    events,
    details: [[], [gate('verifier', { rewards: { reward: 0.5, size: 12 }, output: 'x' })], [gate('verifier', null)]][
      at % 3
    ],
  }));
  const trials = [];
  for (const { record, events, details = [] } of runs) {
    const trial = harborTrial(record, { details }, join(jobs, 'sweep'));
    const folder = join(jobs, 'sweep', trial.name);
    await mkdir(join(folder, 'agent'), { recursive: true });
    await writeFile(join(folder, 'config.json'), JSON.stringify(trial.config));
    await writeFile(join(folder, 'result.json'), JSON.stringify(trial.result));
    await writeFile(join(folder, 'agent', 'trajectory.json'), JSON.stringify(trajectoryOf(record, events)));
    trials.push(trial);
  }
  const job = harborJob('sweep', jobs, trials, { total: trials.length + 1, attempts: 1, isOver: false });
  await writeFile(join(jobs, 'sweep', 'config.json'), JSON.stringify(job.config));
  await writeFile(join(jobs, 'sweep', 'result.json'), JSON.stringify(job.result));
  const { stdout } = await execa(command, [...args, '-c', READ, jobs]);
  const { sweep } = JSON.parse(stdout) as Record<
    string,
    { trials: string[]; viewed: unknown; alike: unknown; invalid: unknown[] }
  >;
  expect(sweep?.trials).toEqual(trials.map(({ name }) => name).sort());
  expect(sweep?.viewed).toEqual([['sweep'], 0]);
  expect([sweep?.alike, sweep?.invalid]).toEqual([true, []]);
}, 300_000);
