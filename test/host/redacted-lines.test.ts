import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRedactor } from '../../src/lib/redaction/redact.js';
import { createLineRedactor } from '../../src/lib/redaction/redact-key-block.js';
import { secretEncodings } from '../../src/lib/redaction/redact-exact.js';
import { linesOf } from '../../src/host/fs/read-file.js';
import { RunEvent } from '../../src/model/records/events.js';
import { redactFields } from '../../src/model/records/redact-fields.js';

const VALUE = `it's (a) "p*ss!" w\\rd/ü€😀&<b>+$~`;
/** The size of the chunks in which a file is read. */
const CHUNK = 256 * 1024;

it.each(Object.keys(secretEncodings))('redacts a value in the encoding %s across the borders of chunks', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-lines-'));
  const redact = createRedactor({ secrets: [VALUE] });
  const forms = secretEncodings[name]?.(VALUE) ?? [];
  fc.assert(
    fc.property(fc.constantFrom(...forms), fc.nat(60), fc.boolean(), (form, before, isJson) => {
      const file = join(folder, 'out');
      const line = isJson ? JSON.stringify({ type: 'reasoning', text: `a ${form} b` }) : `a ${form} b`;
      const offset = Buffer.byteLength(line.slice(0, Math.min(before, line.length)));
      writeFileSync(file, `${'x'.repeat(CHUNK - offset - 1)}\n${line}\nend\n`);
      const read = [...linesOf(file)].map(({ text }) => text);
      expect(read[1]).toBe(line);
      const raw = createLineRedactor(redact)(read[1] ?? '');
      expect(raw).not.toContain(form);
      expect(raw).toContain('[REDACTED]');
      const event = { ts: '', seq: 1, attempt: 1, type: 'reasoning', text: `a ${form} b` } as const;
      expect(JSON.stringify(redactFields(event, RunEvent, redact))).toContain('a [REDACTED]');
    }),
    { numRuns: 20 },
  );
  rmSync(folder, { recursive: true });
});
