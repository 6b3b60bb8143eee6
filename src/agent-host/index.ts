export { CANNOT_SET_UP, HOST_VARIABLES, type HostedRun, type HostModel, type HostRequest } from './hosted.js';
export { JsonMap, RuntimeDatabase, RuntimeSetup, variablesOfRuntime } from './runtime.js';
