import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';
import { format } from 'prettier';

const Proto = proto.temporal.api.history.v1.History;
export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));

/** The text in a payload, as our converter writes it. */
const textOf = (data: Uint8Array | null | undefined): string =>
  data === null || data === undefined ? '' : (JSON.parse(Buffer.from(data).toString()) as string);

/** The activities of a workflow in the order they were scheduled, by the summaries that Temporal's UI shows. */
export const summariesIn = ({ events }: History): string[] =>
  (events ?? [])
    .filter(({ activityTaskScheduledEventAttributes }) => activityTaskScheduledEventAttributes)
    .map(({ userMetadata }) => textOf(userMetadata?.summary?.data));

/** Names and summaries of the activities that were performed within workflow tasks. */
export const localActivitiesIn = ({ events }: History): string[][] =>
  (events ?? [])
    .filter((event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity')
    .map(({ markerRecordedEventAttributes, userMetadata }) => {
      const [data] = markerRecordedEventAttributes?.details?.['data']?.payloads ?? [];
      const { activity_type } = JSON.parse(Buffer.from(data?.data ?? []).toString()) as {
        activity_type: string;
      };
      return [activity_type, textOf(userMetadata?.summary?.data)];
    });

/** The sizes of all our payloads in a history: arguments, results, summaries, memos. */
export function payloadSizes(part: unknown): number[] {
  if (part === null || typeof part !== 'object') return [];
  if ('data' in part && part.data instanceof Uint8Array) return [part.data.length];
  return Object.values(part).flatMap(payloadSizes);
}

/**
 * With RECORD=1, keeps the history of a completed workflow for the replay tests. Existing histories are never replaced:
 * they represent workflows that an earlier release has left open.
 */
export async function record(name: string, handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<void> {
  const file = `${HISTORIES}${name}.json`;
  if (process.env['RECORD'] !== '1' || existsSync(file)) return;
  // The SDK's historyToJSON() breaks where npm installs protobufjs more than once.
  const history = Proto.fromObject(await handle.fetchHistory());
  const json = JSON.stringify(Proto.toObject(history, { longs: String, bytes: String, enums: String }));
  // The location of somebody's checkout does not belong in the repository.
  const relative = json.replaceAll(/(?<=[ (])\/[^\s"()]*?\/(?=(?:node_modules|src|test)\/)/g, '');
  await writeFile(file, await format(relative, { parser: 'json', printWidth: 110 }));
}

export const recorded = (file: string): History =>
  Proto.fromObject(JSON.parse(readFileSync(`${HISTORIES}${file}`, 'utf8')) as object);
