export { chooseEnvironment, containmentIn, environments, environmentProblem } from './all-environments.js';
export { builtImage, builtImages, isBuilt, removeImage } from './container/built-images.js';
export { followBuild, leaveBuilds } from './container/follow-build.js';
export { moreThanMachine } from './container/docker.js';
export { fitProblem } from './container/fit.js';
export {
  findParts,
  misfitReason,
  packAgent,
  PACKED_BIN,
  PACKED_NODE,
  packedProgram,
  tryScript,
} from './container/pack-agent.js';
export { findPacks, removePack } from './container/packs.js';
export { addressInside, RELAY_PLACE, RELAY_PORT, RELAY_SOCKET } from './container/relay.js';
export { accessFile, keepAccess } from './e2b/sandbox-state.js';
export {
  CHECKS_VARIABLE,
  type Contents,
  type Environment,
  type EnvironmentHandle,
  type ExecRequest,
  type Place,
  type ProcessState,
  sharesHost,
  type StartRequest,
  type RequestedEnvironment,
} from './environment.js';
export {
  apartFrom,
  environmentAddresses,
  missingInEnvironment,
  requiresSandbox,
  variablesOfEnvironment,
} from './kinds.js';
export { fillWorkspace } from './fill-workspace.js';
export { lastStart, livingStarts, sideJournal, startFiles, startFolder } from './journal.js';
export { look } from './local.js';
export { MachineGone } from './machine/machine.js';
export { MachineRefused } from './machine/machine-refused.js';
export { readRecord } from './machine/machine-record.js';
export { resultsInside } from './machine/show-folder.js';
export { SymlinkInTheWay } from './own-files.js';
export type { VerifyRequest } from './placed-work.js';
export { remotePlace } from './remote-place.js';
export { changesIn, collect, MAX_STARTS, textAtStart, workspaceChanges } from './workspace-changes.js';
export { CHECKS_FOLDERS, RUN_FOLDERS } from './run-folders.js';
