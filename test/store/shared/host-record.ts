import type { HostRecord } from '../../../src/model/records/host-record.js';

/** The record of a host, by its own clock. */
export const hostRecord = (id: string, at = Date.now(), more: Partial<HostRecord> = {}): HostRecord => ({
  schema_version: 1,
  id,
  name: id,
  sign: 1,
  at: new Date(at).toISOString(),
  draining: false,
  version: '1',
  build: 'b',
  protocol: 1,
  slots: 4,
  labels: [],
  agents: null,
  runs: [],
  declined: [],
  ...more,
});
