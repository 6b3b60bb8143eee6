import fc from 'fast-check';

/** A value in which every encoding changes something. */
export const TRICKY = `it's (a) "p*ss!" w\\rd/ü€😀&<b>+$~`;

/** Values with characters that different rules treat differently. */
export const secret = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 24 }),
    fc.string({ unit: 'grapheme', minLength: 8, maxLength: 16 }),
    fc.array(fc.constantFrom(...Array.from(`ab0/\\"'!()*~+&<>$ äß😀\n\t%=-_.`)), {
      minLength: 8,
      maxLength: 24,
    }),
    fc.constantFrom(TRICKY, 'pa"ss /wörd+1', 'sk_live/with+plus=='),
  )
  .map((value) => (typeof value === 'string' ? value : value.join('')))
  // The rest of such a value next to its mask could contain the value again.
  .filter((value) => value.trim() === value && new Set(value).size > 4 && !/[[\]REDACTUS]/.test(value));
