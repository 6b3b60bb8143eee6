import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProxyRecord } from './record.js';

/** In bytes. Readers have a record in memory at once. */
const RECORD_LIMIT = 48 * 1024 * 1024;

/** Appends what happens with a server to a file, so that the record outlives any process. */
export function createRecordFile(path: string, limit = RECORD_LIMIT): (line: ProxyRecord) => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let bytes = 0;
  let isFull = false;
  // Each line by one write at the end of the file: several proxies may record there.
  const append = (line: ProxyRecord): void => {
    const text = `${JSON.stringify({ at: Date.now(), ...line })}\n`;
    bytes += text.length;
    appendFileSync(path, text, { mode: 0o600 });
  };
  return (line) => {
    if (isFull) return;
    append(bytes < limit / 2 || line.type !== 'answer' ? line : { ...line, result: '(not recorded) …' });
    if (bytes < limit) return;
    isFull = true;
    append({
      type: 'problem',
      message: 'llm-tool-test cannot record more calls of this server',
      limit: true,
    });
  };
}
