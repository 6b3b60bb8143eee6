import type { SweepCell, SweepDocument } from '#decide';
import { ownCommand } from '#host';
import { counted, defined, renderTable, terminalText, UsageError } from '#lib';
import { draftOf, openProject, plan, type SelectedScenario, selectScenarios } from '#planning';
import { readEnvFile } from './shared/option-values.js';
import { printJson, printNotice, textOptions } from './shared/output.js';
import { startAndFollow } from './run/run.js';
import { finishedSweep } from './run/until-clear.js';

export interface ValidateTasksOptions {
  json: boolean;
  results?: string | undefined;
  concurrency?: number | undefined;
  envFile?: string | undefined;
}

type AgentOfTasks = 'oracle' | 'nop';
type End = Pick<SweepCell, 'outcome' | 'message' | 'results_dir'>;

/** A task, the ends of both agents, and what they show to be wrong with it. */
interface CheckedTask {
  name: string;
  file: string;
  ends: Record<AgentOfTasks, End>;
  problems: string[];
}

const NOT_RUN: End = { outcome: null, message: 'it was not run', results_dir: null };

/** Says what is wrong with a task whose solution does not pass, or that passes although nothing was done. */
function problemsOf({ oracle, nop }: CheckedTask['ends']): string[] {
  const said = ({ outcome, message }: End): string => `${outcome ?? 'not finished'}: ${message ?? ''}`;
  return [
    ...(oracle.outcome === 'pass' ? [] : [`the solution does not pass: ${said(oracle)}`]),
    ...(nop.outcome === 'pass' ? [`it passes although nothing was done: ${nop.message ?? ''}`] : []),
    // An error of the oracle has said why nothing can be verified.
    ...(nop.outcome !== 'pass' && nop.outcome !== 'fail' && oracle.outcome !== 'error'
      ? [`doing nothing has no verdict: ${said(nop)}`]
      : []),
  ];
}

function checked(selected: readonly SelectedScenario[], { cells }: SweepDocument): CheckedTask[] {
  const endOf = (name: string, agent: AgentOfTasks): End =>
    cells.find((cell) => cell.scenario === name && cell.agent === agent) ?? NOT_RUN;
  return selected.map(({ file, scenario: { name } }) => {
    const ends = { oracle: endOf(name, 'oracle'), nop: endOf(name, 'nop') };
    return { name, file, ends, problems: problemsOf(ends) };
  });
}

const pick = ({ outcome, message, results_dir }: End): End => ({ outcome, message, results_dir });

function print(tasks: readonly CheckedTask[], sweep: string, json: boolean): void {
  const bad = tasks.filter(({ problems }) => problems.length > 0);
  if (json) {
    printJson({
      valid: bad.length === 0,
      sweep,
      tasks: tasks.map(({ name, file, ends, problems }) => ({
        name,
        file,
        problems,
        oracle: pick(ends.oracle),
        nop: pick(ends.nop),
      })),
    });
    return;
  }
  const rows = bad.flatMap(({ name, problems }) => problems.map((problem) => [name, problem].map(terminalText)));
  if (rows.length > 0) process.stdout.write(`${renderTable(rows, { width: textOptions().width }).join('\n')}\n`);
  const count = counted(tasks.length, 'task');
  process.stdout.write(
    bad.length === 0
      ? `${count} checked: each passes with its solution, and fails if nothing is done\n`
      : `${count} checked, ${bad.length} with problems; the runs: ${ownCommand(`show ${sweep}`)}\n`,
  );
}

/**
 * `validate --tasks`: runs the agents oracle and nop on task folders, and lists those that fail with their solution, or
 * that pass although nothing is done. Returns 1 if there are any.
 */
export async function validateTasks(files: string[], options: ValidateTasksOptions): Promise<number> {
  const { json, results, concurrency, envFile } = options;
  const draft = draftOf({
    files,
    agents: ['oracle', 'nop'],
    repeat: 1,
    variables: readEnvFile(envFile),
    ...defined({ concurrency }),
  });
  const project = openProject(results);
  const selected = await selectScenarios(project, draft);
  const others = selected.filter(({ scenario }) => scenario.task === undefined);
  const [other] = others;
  if (others.length === selected.length && other !== undefined)
    throw new UsageError('nothing_selected', `${other.file} is no task folder; name folders with a task.toml`);
  for (const { file } of others) printNotice(`${file} is no task folder and is not run`);
  const tasks = selected.filter(({ scenario }) => scenario.task !== undefined);
  const { sweep, notices } = await plan(project, tasks, draft, finishedSweep);
  notices.forEach(printNotice);
  const ended: { document: SweepDocument | null } = { document: null };
  const started = { ...defined({ results }), detach: false, json };
  const code = await startAndFollow(sweep, { ...started, print: (document) => void (ended.document = document) });
  const { document } = ended;
  if (document === null) return code;
  const found = checked(tasks, document);
  print(found, document.sweep, json);
  return code === 130 ? code : found.every(({ problems }) => problems.length === 0) ? 0 : 1;
}
