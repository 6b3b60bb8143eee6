/** A model by the provider that serves it, as `provider/model`; the model's own name may hold more slashes. */
export type ModelName = { ok: true; provider: string; model: string } | { ok: false; message: string };

const EXAMPLE = 'expected provider/model, like "anthropic/claude-sonnet-4-5"';

/** A model as an agent's cell names it: `provider/model`, or a model of the agent's own provider. */
export function splitModel(text: string, ownProvider: string): { provider: string; model: string } {
  const name = parseModelName(text);
  return name.ok ? { provider: name.provider, model: name.model } : { provider: ownProvider, model: text };
}

/** Reads `provider/model`; the message of what is none says what to write. */
export function parseModelName(text: string): ModelName {
  if (text.startsWith('agent:'))
    return { ok: false, message: `an agent as the judge ('${text}') is not supported yet; ${EXAMPLE}` };
  const [, provider, model] = /^([\w.-]+)\/(\S+)$/.exec(text) ?? [];
  if (provider === undefined || model === undefined)
    return { ok: false, message: `${EXAMPLE}; got '${text}'` };
  return { ok: true, provider, model };
}
