import { isJsonObject, isStorable, type Json, parseJson } from '#lib';

/** A model's thoughts before its answer, which some servers leave in the text. */
const THOUGHTS = /^\s*<think>[^]*?<\/think>/;
/** No sensible answer has more code blocks than this. */
const MAX_BLOCKS = 50;
const FENCED = /```[\w-]*[^\S\n]*\n([^]*?)```/g;

/**
 * Finds the one JSON object in a model's answer: alone, in a code fence, or with words around it. Returns null if there
 * is none, or if it is unclear which of several is meant.
 */
export function findObject(answer: string): { [key: string]: Json } | null {
  const text = answer.replace(THOUGHTS, '');
  const whole = objectIn(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (whole !== null) return whole;
  const blocks = [...text.matchAll(FENCED)];
  if (blocks.length > MAX_BLOCKS) return null;
  const [only, ...more] = blocks.map(([, block = '']) => objectIn(block)).filter((found) => found !== null);
  return more.length === 0 ? (only ?? null) : null;
}

function objectIn(text: string): { [key: string]: Json } | null {
  const value = parseJson(text);
  return isJsonObject(value) && isStorable(value) ? value : null;
}
