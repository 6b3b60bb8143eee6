/** File systems allow 255 bytes, and the name of a run's folder has three such parts. */
const MAX_BYTES = 60;

/**
 * Makes `text` a part of a file name: other characters become `_`; never empty or hidden, at most 60 bytes of UTF-8.
 */
export function safeName(text: string): string {
  const safe = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.-]+/, '_');
  return safe === '' ? '_' : withinBytes(safe, MAX_BYTES);
}

function withinBytes(text: string, most: number): string {
  const encoder = new TextEncoder();
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > most) break;
    kept += character;
  }
  return kept;
}
