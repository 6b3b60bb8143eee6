export type { Screen } from './blocks/screen.js';
export type { Grid } from './blocks/terminal.js';
export type { TextOptions } from './blocks/terminal.js';
export { answer, sureVerdict } from './comparison/answer.js';
export { comparisonMarkdown, renderComparison } from './comparison/comparison.js';
export { curveColumns, curveRow, forecastAnswer, forecastHints, renderForecast } from './comparison/forecast.js';
export { alphaLeftText, neededRuns } from './comparison/parts.js';
export { rankingMarkdown, renderRanking } from './comparison/ranking.js';
export { measureGrid, namer, reliabilityGrid } from './comparison/tables.js';
export { trajectoryOf } from './formats/atif.js';
export { type FormatName, formatNames, loadFormat } from './formats/index.js';
export { harborJob, type HarborTrial, harborTrial } from './formats/harbor-job.js';
export { junit } from './formats/junit.js';
export { MAX_ACTION_LOGS, type ReportedCell, type SweepReport } from './formats/sweep-report.js';
export { renderClean } from './lists/clean.js';
export { type DoctorRow, type CheckStatus, countByStatus, type Finding, renderDoctor } from './lists/doctor.js';
export { renderHosts, SILENT_MS } from './lists/hosts.js';
export { renderSchedule, renderSchedules } from './lists/schedules.js';
export { renderAudit } from './lists/audit.js';
export { renderSweeps } from './lists/sweeps.js';
export { renderEvaluation } from './run/evaluation-md.js';
export { doingText, eventLines } from './run/event-lines.js';
export { renderHumanTranscript } from './run/human-transcript.js';
export { renderReport } from './run/report-md.js';
export { runFacts } from './run/run-facts.js';
export { renderGates, renderRun } from './run/run-text.js';
export { cellNames, isOpen } from './sweep/labels.js';
export {
  durationText,
  type EndedRow,
  explainedWait,
  type LiveState,
  plainLine,
  renderLiveView,
  type Wait,
  waitText,
} from './sweep/live-frame.js';
export { renderSweep } from './sweep/sweep-text.js';
export { subjectGrid, sweepTables } from './sweep/tables.js';
