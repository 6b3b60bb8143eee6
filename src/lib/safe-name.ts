/** `text` as a part of a file name: other characters become `_`, never empty, never hidden, at most 60 characters. */
export function safeName(text: string): string {
  const safe = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.-]+/, '_')
    .slice(0, 60);
  return safe === '' ? '_' : safe;
}
