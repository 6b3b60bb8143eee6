import { formatAge, terminalText } from '#lib';
import type { HostRecord } from '#model';
import { colors, printText, type TextOptions } from '../blocks/terminal.js';

/** A host shows a sign of life every few seconds. After this time without one, it is shown as silent. */
export const SILENT_MS = 60_000;
/** The most offers that are shown of a host. */
const MAX_DECLINED = 20;

/** Renders the hosts of shared results, and what they decline. `silent_ms`: for how long a host has said nothing. */
export function renderHosts(hosts: readonly (HostRecord & { silent_ms: number })[], options: TextOptions): string {
  const newest = Math.max(...hosts.map(({ protocol }) => protocol));
  const rows = hosts.map((host) => [
    colors.bold(terminalText(host.name)),
    host.id,
    `${host.runs.length}/${host.slots}`,
    stateOf(host, host.silent_ms),
    formatAge(host.silent_ms),
    `${host.version}${host.protocol < newest ? ' (older)' : ''}`,
    terminalText([...(host.agents ?? []), ...host.labels.map((label) => `+${label}`)].join(' ')),
  ]);
  const columns = ['host', 'id', 'runs', 'state', 'seen', 'version', 'agents +labels'];
  const declined = hosts.flatMap((host) =>
    host.declined
      .slice(-MAX_DECLINED)
      .map(({ what, reason }) => `${terminalText(host.name)}: ${terminalText(`${what}: ${reason}`)}`),
  );
  return printText(
    [[{ columns, rows }], declined.length === 0 ? [] : ['Declined:', ...declined.map((line) => `  ${line}`)]],
    options,
  );
}

function stateOf({ draining }: HostRecord, silentMs: number): string {
  if (silentMs > SILENT_MS) return 'silent';
  return draining ? 'draining' : 'working';
}
