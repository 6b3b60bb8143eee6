import { isJsonObject, isStorable, parseJson, type Json } from '../lib/json.js';

/** What a model thinks aloud before it answers, where its server leaves that in the text. */
const THOUGHTS = /^\s*<think>[^]*?<\/think>/;
/** Nobody who was asked for one object writes so many. */
const MAX_BLOCKS = 50;
const FENCED = /```[\w-]*[^\S\n]*\n([^]*?)```/g;

/**
 * The one JSON object in a model's answer: alone, in a code fence, or with words around it. null when there is none, or
 * more than one: then nobody can say which was meant.
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
