import { describe, expect, it } from 'vitest';
import { createBytesRedactor } from '../../../src/lib/redaction/redact-bytes.js';

const R = '[REDACTED]';

describe('the redactor of bytes', () => {
  const exact = createBytesRedactor({ secrets: ['secret-value', 'secret-value-2', 'value-2-more', 'tiny'] });
  const masked = (text: string) => exact(Buffer.from(text))?.toString() ?? null;

  it('returns null if there is nothing to mask', () => {
    expect(masked('password=other tiny')).toBeNull();
  });

  it('masks only known values, completely if they overlap', () => {
    expect(masked('a secret-value b@example.com secret-value-2-more, secret-value-2')).toBe(
      `a ${R} b@example.com ${R}, ${R}`,
    );
  });

  it('keeps other bytes, and the length of a binary file', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from('secret-value'), Buffer.from([128, 0])]);
    const result = exact(bytes);
    expect(result).toEqual(Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(`${R}**`), Buffer.from([128, 0])]));
  });
});
