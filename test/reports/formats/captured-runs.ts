import type { EventBody, RunEvent } from '../../../src/model/records/events.js';
import type { RunRecord } from '../../../src/model/records/run-record.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { acpStream } from '../../../src/agents/streams/acp.js';
import { acpPresetNames, presetOf } from '../../../src/agents/acp/presets.js';
import { acpCaptures, acpLinesOf, truthOf } from '../../agents/acp-captures.js';
import { CLI_NAMES } from '../../agents/clis.js';
import { eventsOf } from '../../agents/read-capture.js';
import { capturesOf } from '../../agents/requests.js';
import { run } from '../../model/sample.js';

export interface CapturedRun {
  name: string;
  record: RunRecord;
  events: RunEvent[];
}

/** Events as in events.jsonl. */
export const recorded = (events: readonly EventBody[]): RunEvent[] =>
  events.map((event, at) => ({
    ...event,
    ts: new Date(Date.parse('2026-01-02T03:04:05.000Z') + at).toISOString(),
    seq: at + 1,
    attempt: 1,
  }));

/** Runs with the captured output of each agent of the repository. */
export const capturedRuns = (): CapturedRun[] => [
  ...CLI_NAMES.flatMap((agent) =>
    capturesOf(agent).map((name): CapturedRun => {
      const parser = knownAgents({}).get(agent)?.parser();
      if (parser === undefined) throw new Error(`there is no agent ${agent}`);
      return { name, record: run({ agent_name: agent }), events: recorded(eventsOf(parser, name)) };
    }),
  ),
  ...acpCaptures.flatMap((name): CapturedRun[] => {
    const preset = acpPresetNames.find((known) => truthOf(name).agent.startsWith(known));
    if (preset === undefined) return [];
    const parser = acpStream(presetOf(preset).reading);
    const events = acpLinesOf(name).flatMap((lines, start) => {
      parser.begin?.(start + 1);
      return lines.flatMap((line) => parser.line(line));
    });
    return [
      { name: `acp-${name}`, record: run({ agent_name: preset }), events: recorded([...events, ...parser.end()]) },
    ];
  }),
];
