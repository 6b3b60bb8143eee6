import { beginningsOf, nightText, rateOfNight, riseTexts } from '#decide';
import { firingsFrom, objectsOf, readReference, scheduleNames } from '#store';
import type { SchedulesAnswer, ShownNight } from '../protocol.js';

/** So many of the newest nights are shown. */
const MAX_NIGHTS = 60;

/** Reads all schedules with their newest nights, oldest first. */
export async function schedulesOf({ resultsPath }: { resultsPath: string }): Promise<SchedulesAnswer> {
  const objects = await objectsOf(resultsPath);
  const names = await scheduleNames(objects);
  const schedules = await Promise.all(
    names.map(async (schedule) => {
      const reference = await readReference(objects, schedule);
      const known = reference === 'damaged' ? null : reference;
      const ended = (await firingsFrom(objects, schedule, '')).filter(({ exit_code }) => exit_code !== null);
      const latest = ended.at(-1);
      const rises = latest?.nights == null ? [] : riseTexts(latest.nights);
      const begun = beginningsOf(ended);
      return {
        schedule,
        reference: known,
        words: latest === undefined ? [] : [latest.text, ...rises.filter((text) => !latest.text.includes(text))],
        nights: ended.slice(-MAX_NIGHTS).map((one): ShownNight => ({
          sweep: one.sweep ?? '',
          at: one.scheduled_at,
          ...rateOfNight(one.configurations),
          text: nightText(one, known?.sweep ?? null, begun),
          begins: begun.has(one.sweep ?? ''),
        })),
      };
    }),
  );
  return { schedules };
}
