import { agentChecks, judgeKeys } from './agents.js';
import type { DoctorCheck, DoctorContext } from './context.js';
import { deno } from './deno.js';
import {
  bubblewrap,
  build,
  cloudSandboxes,
  containers,
  containing,
  enabled,
  node,
  pasta,
  platform,
} from './machine.js';
import { leftovers } from './leftovers.js';
import { isMirror } from '../../platform/folders.js';
import { cache, config, fixtures, results, state } from './places.js';
import { sharedResults } from './shared.js';
import { engine, go, temporal } from './temporal.js';

/** All checks, in the order of the table. To add one, write a small function and add a line here. */
export const checksOf = (context: DoctorContext): DoctorCheck[] => [
  { name: 'node', look: () => node() },
  { name: 'platform', look: () => platform() },
  { name: 'version', look: build },
  { name: 'config', look: config },
  { name: 'scenarios', look: fixtures },
  { name: 'results', look: results },
  ...(isMirror(context.project.resultsPath) ? [{ name: 'shared results', look: sharedResults }] : []),
  { name: 'state', look: state },
  { name: 'cache', look: cache },
  { name: 'temporal', look: temporal },
  { name: 'go', look: go },
  { name: 'engine', look: engine },
  { name: 'leftovers', look: leftovers },
  { name: 'deno', look: deno },
  { name: 'containment', look: containing },
  { name: 'bubblewrap', look: bubblewrap },
  { name: 'pasta', look: pasta },
  { name: 'containers', look: containers },
  { name: 'e2b', look: cloudSandboxes },
  { name: 'LLM_TOOL_TEST_ENABLED', look: enabled },
  ...agentChecks(context),
  { name: 'judge keys', look: judgeKeys },
];
