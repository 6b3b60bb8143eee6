import { parseModelName } from '#lib';

/** Providers of models whose names are known by their beginning. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|chatgpt-|o\d)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
];

type CharacterModel = { model: string; message: null } | { model: null; message: string };

/** The model of a cell, `provider/model`, as a character names it; or what is wrong with it. */
export function characterModel(llm: { model: string; provider?: string | undefined }): CharacterModel {
  const { model, provider = FAMILIES.find(([names]) => names.test(model))?.[1] } = llm;
  const name = llm.provider === undefined && model.includes('/') ? model : `${provider ?? ''}/${model}`;
  if (parseModelName(name).ok) return { model: name, message: null };
  return {
    model: null,
    message: `the provider of '${model}' is unknown; write provider/model, like openai/gpt-5.1, or add llm.provider`,
  };
}
