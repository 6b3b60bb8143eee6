export { unreachableMessage } from './call-server.js';
export { findWork } from './find-work.js';
export { bringResults } from './follow/bring-results.js';
export { follow } from './follow/follow.js';
export { type OpenRun, openRunsIn, reasonText, waitingFor } from './follow/waiting-reason.js';
export {
  activeStep,
  queryProgress,
  queryTroubles,
  BETWEEN_STEPS,
  hasRunEnded,
  providerLimitsOf,
  parkedIn,
  troublesOf,
  waitsOf,
} from './follow/progress.js';
export { tailEvents } from './follow/tail-events.js';
export { type EarlierResults, NO_EARLIER, resultLabeler, type Signals, type View } from './follow/view.js';
export { roundInputs, type RoundInputs, startRetryRound } from './next-round.js';
export { noteAction } from './note-action.js';
export { passNewValues } from './pass-variables.js';
export { planRetry, type RetryChoice } from './retry-sweep.js';
export { type EditableReview, editableReview, saveReview } from './save-review.js';
export { backfill } from './schedules/backfill.js';
export { acceptNight } from './schedules/accept-night.js';
export { findSchedule, isScheduleName, proofOfSchedule, textOfSchedule } from './schedules/schedule-file.js';
export { callSchedule, putSchedule, summarizeSchedule } from './schedules/temporal-schedule.js';
export { missingOnServer, recordOfFiring, sweepOfFiring, trigger } from './schedules/trigger.js';
export { joinSession, openSession, type Session } from './session.js';
export { beginSweep, planSweep, startPlanned } from './start-planned.js';
export { pauseOrCancelSweep, resumeSweep } from './steer-sweep.js';
export { type FollowOptions, type SweepOptions, updateSweep } from './update-sweep.js';
