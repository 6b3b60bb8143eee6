export {
  chooseEnvironment,
  containmentIn,
  environments,
  type Place,
  type Wanted,
} from './all-environments.js';
export { whyNoBubblewrap } from './bubblewrap.js';
export { whyNoCli } from './container/why-no-container.js';
export { E2bRefused } from './e2b/e2b-errors.js';
export { findE2b } from './e2b/find-e2b.js';
export { accessFile, keepAccess, readRecord } from './e2b/sandbox-state.js';
export { tryE2b } from './e2b/try-e2b.js';
export { E2B_ADDRESSES, E2B_KEY, E2B_VARIABLES, optionsInShell } from './e2b/variables.js';
export {
  CHECKS_VARIABLE,
  type Contents,
  type Environment,
  type EnvironmentHandle,
  type ExecRequest,
  type ProcessState,
  sharesHost,
  type StartRequest,
} from './environment.js';
export { lastStart, livingStarts, startFiles, startFolder } from './journal.js';
export { look } from './local.js';
export { MachineGone } from './machine/machine.js';
export { resultsInside } from './machine/show-folder.js';
export { wayOfOutput } from './machine/stream.js';
export { whyNoOwnNetwork } from './network.js';
export { SymlinkInTheWay } from './own-files.js';
export { placeApart } from './place-apart.js';
export { changesIn, collect } from './read-workspace.js';
export { CHECKS_FOLDERS, RUN_FOLDERS } from './run-folders.js';
export { MAX_STARTS, textAtStart, workspaceChanges } from './workspace-changes.js';
