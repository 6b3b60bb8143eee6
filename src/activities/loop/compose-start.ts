import { mkdir, utimes } from 'node:fs/promises';
import { startFiles } from '#environments';
import { writeFileAtomic } from '#host';
import { type EventBody, STEPS } from '#model';
import type { AgentStep } from '../agent/agent-step.js';
import { readStep } from '../step/run-step-once.js';
import type { RunIdentity, RunPlaces } from '../run/context.js';
import { type PlacedRequest, readLoop, requestsIn } from './conversation.js';
import { eventsOfRequest, sessionOf } from './events.js';

/** The claim of a start that no supervisor has made. */
const CLAIM = '0 loop loop 0\n';
const STOPPED = 137;

/**
 * Writes the output of the agent's `nth` run in the current turn as start number `start` of an agent that has ended, so
 * that everything that reads the output of agents reads it. `cut`: why it did not come to its end.
 */
export async function composeStart(
  context: RunIdentity & RunPlaces,
  nth: number,
  start: number,
  cut: 'cancel' | 'failure' | null = null,
): Promise<void> {
  const { handle, turn, run } = context;
  const requests = requestsIn(await readLoop(context), turn.number, nth);
  const groups: { at: number; events: EventBody[] }[] = [
    { at: startOf(requests[0]), events: [sessionOf(run, requests)] },
    ...requests.map((request) => ({ at: endOf(request), events: eventsOfRequest(request) })),
  ];
  const texts = groups.map(({ at, events }) => ({
    at,
    text: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  }));
  const limit = requests.map(({ result }) => result.stopped).find((why) => why === 'deadline' || why === 'cost');
  const stopped = cut === 'cancel' ? cut : (limit ?? null);
  const { folder, stdout, stderr, growth, claim, stop, exit, resumes } = startFiles(handle, start);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let bytes = 0;
  const timeline = texts.map(({ at, text }) => `${(bytes += Buffer.byteLength(text))} ${at}\n`).join('');
  const [begun, ended] = [texts[0]?.at ?? Date.now(), texts.at(-1)?.at ?? Date.now()];
  for (const [path, text] of [
    [claim, CLAIM],
    [stdout, texts.map(({ text }) => text).join('')],
    [stderr, ''],
    [growth, timeline],
    [stop, `${stopped ?? ''}\n`],
    ...(start > 1 ? [[resumes, run.run] as const] : []),
    [exit, `${stopped === null && cut === null ? 0 : STOPPED}\n`],
  ] as const) {
    await writeFileAtomic(path, text, 0o600);
    const at = (path === claim ? begun : ended) / 1000;
    await utimes(path, at, at);
  }
}

const startOf = (request: PlacedRequest | undefined): number =>
  request === undefined ? Date.now() : Date.parse(request.at) - request.duration_ms;

/** When the last call of a request had ended, or its answer had come. */
const endOf = ({ at, results }: PlacedRequest): number =>
  Math.max(Date.parse(at), ...results.flatMap((result) => (result === null ? [] : [Date.parse(result.at)])));

/**
 * Writes the output of a run of the agent that no step reports, because the run was cancelled or a step failed for
 * good. `published`: the agent's runs that steps report.
 */
export async function composeUnreported(
  context: RunIdentity & RunPlaces,
  published: readonly Pick<AgentStep, 'record' | 'turn'>[],
  cancelled: boolean,
): Promise<void> {
  const last = published.at(-1);
  const turn = last?.turn?.number ?? 1;
  const inTurn = published.filter((step) => (step.turn?.number ?? 1) === turn).length;
  for (const [number, nth] of [
    [turn, inTurn + 1],
    [turn + 1, 1],
  ] as const) {
    if ((await readStep(context, STEPS.request(STEPS.agent(nth, number), 1))) === null) continue;
    const at = { ...context, turn: { ...context.turn, number } };
    return composeStart(at, nth, (last?.record.starts ?? 0) + 1, cancelled ? 'cancel' : 'failure');
  }
}
