import type { LanguageModel, LanguageModelUsage } from 'ai';

export interface TextAnswer {
  text: string;
  usage: LanguageModelUsage;
}

/** Asks a model for text. The library repeats a call that fails for a reason that may pass. */
export async function askForText(
  model: LanguageModel,
  {
    system,
    prompt,
    temperature,
  }: { system?: string | undefined; prompt: string; temperature?: number | undefined },
): Promise<TextAnswer> {
  const { generateText } = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // No temperature unless one is asked for: several models reject it.
  const { text, usage } = await generateText({
    model,
    prompt,
    ...(system === undefined || system === '' ? {} : { system }),
    ...(temperature === undefined ? {} : { temperature }),
  });
  return { text, usage };
}
