import { beginningOf } from '#lib';
import type { StreamParser } from '../agent.js';

/** In characters. The rest of a longer answer is only in transcript.raw.txt. */
const TEXT_LIMIT = 256 * 1024;

/** Reads output that is plain text. All of it becomes one message of the assistant. */
export function textStream(): StreamParser {
  const lines: string[] = [];
  let kept = 0;
  return {
    line(text) {
      if (kept < TEXT_LIMIT) lines.push(beginningOf(text, TEXT_LIMIT - kept));
      kept += text.length + 1;
      return [];
    },
    end() {
      const text = lines.join('\n').trim();
      return text === '' ? [] : [{ type: 'message', role: 'assistant', text }];
    },
    usagePending: () => false,
    readsText: true,
  };
}
