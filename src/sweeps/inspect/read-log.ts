import { buffer } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { decompress as inflateZstd } from 'fzstd';
import { Entry, openPromise, type ZipFile } from 'yauzl';
import { displayPath } from '#host';
import { isJsonObject, type Json, messageOf, ownValue, parseJson, UsageError } from '#lib';
import type { z } from 'zod';
import { Header, Sample } from './log-schema.js';

/** A log of Inspect. */
export interface InspectLog {
  file: string;
  header: Header;
  /** Reads the samples, one after another. @throws UsageError at one that cannot be read */
  samples: () => Iterable<Sample> | AsyncIterable<Sample>;
  close: () => void;
}

/** Opens a log of Inspect: `.eval`, or `.json`. @throws UsageError if it is none, or cannot be read */
export async function openInspectLog(file: string): Promise<InspectLog> {
  return /\.eval$/i.test(file) ? openEval(file) : openJson(file);
}

/** True if the text of a JSON file looks like a log of Inspect. */
export function isInspectJson(text: string): boolean {
  const log = parsePython(text);
  return isJsonObject(log) && 'status' in log && isJsonObject(log['eval']) && 'task_id' in log['eval'];
}

function openJson(file: string): InspectLog {
  const log = parsePython(readFileSync(file, 'utf8'));
  const samples = isJsonObject(log) && Array.isArray(log['samples']) ? log['samples'] : [];
  return {
    file,
    header: parse(Header, log, file, 'this is no log of Inspect'),
    *samples() {
      for (const [index, sample] of samples.entries()) yield parseSample(sample, file, `samples[${index}]`);
    },
    close: () => undefined,
  };
}

async function openEval(file: string): Promise<InspectLog> {
  const zip = await openPromise(file, { autoClose: false }).catch((error: unknown) => {
    throw new UsageError('usage', `${displayPath(file)} is no log of Inspect: ${messageOf(error)}`);
  });
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const read = async (name: string): Promise<Json | undefined> => {
      const entry = entries.get(name);
      return entry === undefined ? undefined : parsePython((await contentOf(zip, entry, file)).toString('utf8'));
    };
    // An evaluation that was killed has no header, but the beginning of one.
    const header = (await read('header.json')) ?? withoutEnd(await read('_journal/start.json'));
    return {
      file,
      header: parse(Header, header, file, 'this is no log of Inspect'),
      async *samples() {
        for (const name of entries.keys())
          if (/^samples\/[^/]+\.json$/.test(name)) yield parseSample(await read(name), file, name);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const withoutEnd = (start: Json | undefined): Json | undefined =>
  isJsonObject(start) ? { ...start, status: 'started' } : start;

const [STORED, DEFLATE, ZSTD] = [0, 8, 93];

async function contentOf(zip: ZipFile, entry: Entry, file: string): Promise<Buffer> {
  try {
    const packed = await buffer(await zip.openReadStreamPromise(entry, { decodeFileData: false }));
    switch (entry.compressionMethod) {
      case STORED:
        return packed;
      case DEFLATE:
        return inflateRawSync(packed);
      case ZSTD:
        return Buffer.from(inflateZstd(packed));
      default:
        throw new Error(`its compression (method ${entry.compressionMethod}) is unknown`);
    }
  } catch (error) {
    throw new UsageError('usage', `${displayPath(file)}: ${entry.fileName} cannot be read: ${messageOf(error)}`);
  }
}

/** Parses JSON as Python writes it: numbers that are not finite, which JSON does not have, become null. */
const parsePython = (text: string): Json | undefined =>
  parseJson(text) ??
  parseJson(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (part) => (part.startsWith('"') ? part : 'null')),
  );

function parseSample(sample: unknown, file: string, at: string): Sample {
  const { attachments, messages, ...rest } = parse(Sample, sample, file, at);
  return { ...rest, attachments, messages: messages.map((message) => attached(message, attachments)) };
}

/** Replaces references to attachments, as which Inspect stores long texts, by their text. */
const attached = <T>(value: T, attachments: Sample['attachments']): T =>
  JSON.parse(JSON.stringify(value), (_, text: unknown) =>
    typeof text === 'string' && text.startsWith(ATTACHMENT)
      ? (ownValue(attachments, text.slice(ATTACHMENT.length)) ?? text)
      : text,
  ) as T;

const ATTACHMENT = 'attachment://';

function parse<T>(schema: z.ZodType<T>, value: unknown, file: string, at: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new UsageError('usage', `${displayPath(file)}: ${at} is not as Inspect writes it${path}; nothing was written`);
}
