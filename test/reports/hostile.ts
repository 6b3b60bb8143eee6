import fc from 'fast-check';
import { HOSTILE_TEXTS } from '../hostile-texts.js';

/** Strings that consist mostly of characters with a meaning in markdown. */
export const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...Array.from('`~|\\\n\r\t #*_-+=<>&[]()!1.a \u2028\0\x1b')),
    maxLength: 40,
  }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...Object.values(HOSTILE_TEXTS)),
  fc.constantFrom('```', '\n```\n# x', '| a | b |', '<!-- ', '</details>', '<script>', '\\|', '---', '1) x'),
);
