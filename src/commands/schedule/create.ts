import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  isScheduleName,
  noteAction,
  openSession,
  proofOfSchedule,
  putSchedule,
  type Session,
  summarizeSchedule,
  textOfSchedule,
} from '#client';
import { schedulesFolder } from '#engine';
import { isMirror, ownCommand } from '#host';
import { isTimezone, parseCron, UsageError, variableNames } from '#lib';
import { draftOf, type DraftOptions, openProject, plan, selectScenarios, storeInputsAnd } from '#planning';
import { renderSchedules } from '#reports';
import type { StoredSchedule, When } from '#scenario';
import { objectsOf, type ObjectStore, publishInputs, scheduleText, sharedProjectOf, storeSettings } from '#store';
import { printDryRun } from '../run/print-dry-run.js';
import { finishedSweep } from '../run/until-clear.js';
import { readEnvFile } from '../shared/option-values.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';

export interface CreateOptions
  extends Omit<DraftOptions, 'untilClear' | 'regrade' | 'variables'>, Pick<StoredSchedule, 'overlap'> {
  cron?: string;
  every?: number;
  timezone?: string;
  jitter?: number;
  catchUp: number;
  failOn: StoredSchedule['fail_on'];
  junit?: string;
  webhook?: string;
  envFile?: string;
  reuse: boolean;
  replace: boolean;
  dryRun: boolean;
  results?: string;
  address?: string;
  json: boolean;
}

/** `schedule create`: stores the plan of the sweeps, and creates the schedule on the Temporal server. */
export async function createSchedule(schedule: string, options: CreateOptions): Promise<number> {
  if (!isScheduleName(schedule))
    throw new UsageError(
      'bad_schedule',
      `'${schedule}' is not a valid schedule name: use at most 60 letters, digits, - and _`,
    );
  const when = whenOf(options);
  const webhook = options.webhook === undefined ? null : variableOf(options.webhook);
  const project = openProject(options.results);
  const { resultsPath } = project;
  const objects = await objectsOf(resultsPath);
  if (!options.replace && (await scheduleText(objects, schedule)) !== null)
    throw new UsageError('schedule_exists', `the schedule '${schedule}' exists; change it with --replace`);
  if (options.junit !== undefined && isMirror(resultsPath))
    throw new UsageError(
      'bad_schedule',
      `--junit is not available with shared results, because any host may write the report; read schedules/${schedule}/junit.xml instead`,
    );
  // A night that starts no agent would say that nothing has changed.
  const cache = options.reuse && options.cache;
  const draft = draftOf({ ...options, cache, variables: readEnvFile(options.envFile) });
  const selected = await selectScenarios(project, draft);
  const { sweep, notices } = await plan(project, selected, draft, finishedSweep);
  for (const notice of notices) printNotice(notice);
  if (options.dryRun) return printDryRun(sweep, options.json);
  const session = await openSession(resultsPath, printNotice, options);
  try {
    const envFile = options.envFile === undefined ? null : resolve(options.envFile);
    const stored = await storeInputsAnd(sweep, async (template) => {
      const settings: StoredSchedule = {
        schema_version: 1,
        schedule,
        created_at: new Date().toISOString(),
        when,
        overlap: options.overlap,
        jitter_secs: secs(options.jitter ?? 0),
        catch_up_secs: secs(options.catchUp),
        fail_on: options.failOn,
        junit: options.junit === undefined ? null : resolve(options.junit),
        webhook,
        env_file: envFile,
        variables: sweep.variables,
        // A sandbox hides the file with the keys.
        plan: envFile === null ? template : { ...template, hidden: [...template.hidden, envFile] },
      };
      const text = textOfSchedule(settings);
      const shared = await sharedProjectOf(resultsPath);
      if (shared !== null) await publishInputs(shared, JSON.stringify(settings.plan));
      await noteAction(resultsPath, { verb: 'create', schedule }, printNotice);
      await storeSettings(objects, schedule, text);
      return settings;
    });
    await activate(session, stored);
    if (!session.engine.external && !isMirror(resultsPath))
      printNotice(`the engine keeps running for this schedule; stop it with ${ownCommand('engine stop')}`);
    await printSchedule(session, objects, stored, options.json);
    return 0;
  } finally {
    await session.close();
  }
}

/** Puts a stored schedule on the Temporal server, and keeps the engine running for it. */
export async function activate(session: Session, stored: StoredSchedule): Promise<void> {
  const { engine, stateFolder } = session;
  const folders = { resultsPath: engine.resultsPath, stateFolder };
  await putSchedule(session, stored, await proofOfSchedule(folders, stored.schedule, textOfSchedule(stored)));
  // Shared results have hosts instead of an engine.
  if (isMirror(engine.resultsPath)) return;
  mkdirSync(schedulesFolder(stateFolder), { recursive: true, mode: 0o700 });
  writeFileSync(join(schedulesFolder(stateFolder), stored.schedule), '', { mode: 0o600 });
}

const secs = (ms: number): number => Math.round(ms / 1000);

/** @throws UsageError unless exactly one of --cron and --every is given, and the times are valid */
function whenOf({ cron, every, timezone }: CreateOptions): When {
  if ((cron === undefined) === (every === undefined))
    throw new UsageError('bad_schedule', 'the schedule needs either --cron or --every, e.g. --cron "0 3 * * *"');
  if (cron === undefined) {
    if (timezone !== undefined)
      throw new UsageError(
        'bad_schedule',
        '--timezone needs --cron: the intervals of --every are counted from 00:00 UTC',
      );
    return { every_secs: secs(every ?? 0) };
  }
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new UsageError('bad_schedule', `--cron '${cron}': ${parsed.message}`);
  const zone = timezone ?? 'UTC';
  if (!isTimezone(zone))
    throw new UsageError('bad_schedule', `--timezone '${zone}': expected the name of a time zone, e.g. Europe/Berlin`);
  return { cron: cron.trim(), timezone: zone };
}

/** The name in `${NAME}`. @throws UsageError for anything else, without repeating it: it may be the secret itself */
function variableOf(text: string): string {
  const [name] = variableNames(text);
  if (name !== undefined && text === `\${${name}}`) return name;
  throw new UsageError(
    'bad_schedule',
    "--webhook: expected the name of a variable that holds the URL, in quotes: --webhook '${NAME}'. The URL may be a secret, and is not stored; set the variable in the file of --env-file",
  );
}

/** Prints one schedule. */
export async function printSchedule(
  session: Session | null,
  objects: ObjectStore,
  stored: StoredSchedule,
  json: boolean,
): Promise<void> {
  const summary = await summarizeSchedule(session, objects, stored);
  if (json) printJson(summary);
  else process.stdout.write(renderSchedules([summary], Date.now(), textOptions()));
}
