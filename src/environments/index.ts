export {
  chooseEnvironment,
  containmentIn,
  environments,
  type Place,
  type Wanted,
} from './all-environments.js';
export { whyNoBubblewrap } from './bubblewrap.js';
export { whyNoCli } from './container/container-cli.js';
export {
  E2B_ADDRESSES,
  E2B_KEY,
  E2B_VARIABLES,
  E2bRefused,
  findE2b,
  optionsInShell,
  tryE2b,
} from './e2b/service.js';
export { accessFile, keepAccess, readRecord } from './e2b/sandbox-state.js';
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
export { changesIn, collect, MAX_STARTS, textAtStart, workspaceChanges } from './workspace-changes.js';
export { CHECKS_FOLDERS, RUN_FOLDERS } from './run-folders.js';
