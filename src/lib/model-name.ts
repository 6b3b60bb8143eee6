/** A model and its provider, from `provider/model`. The model's own name may contain more slashes. */
export type ModelName = { ok: true; provider: string; model: string } | { ok: false; message: string };

/** The judge: a model that is called by API, or an agent that is started with a model (`agent:<agent>/<model>`). */
export type JudgeName =
  | { ok: true; by: 'api'; provider: string; model: string }
  | { ok: true; by: 'agent'; agent: string; model: string }
  | { ok: false; message: string };

const EXAMPLE = 'expected provider/model, like "anthropic/claude-sonnet-4-5"';
const AGENT_EXAMPLE = 'expected agent:<agent>/<model>, like "agent:codex/gpt-5.1"';

/** Splits the model of an agent's cell: `provider/model`, or else a model of the agent's own provider. */
export function splitModel(text: string, ownProvider: string): { provider: string; model: string } {
  const name = parseModelName(text);
  return name.ok ? { provider: name.provider, model: name.model } : { provider: ownProvider, model: text };
}

/** Parses `provider/model`. The message of a failure says what to write. */
export function parseModelName(text: string): ModelName {
  const [, provider, model] = /^([\w.-]+)\/(\S+)$/.exec(text) ?? [];
  if (provider === undefined || model === undefined) return { ok: false, message: `${EXAMPLE}; got '${text}'` };
  return { ok: true, provider, model };
}

/** Parses the name of a judge. The message of a failure says what to write. */
export function parseJudgeName(text: string): JudgeName {
  if (!text.startsWith('agent:')) {
    const name = parseModelName(text);
    return name.ok ? { ...name, by: 'api' } : name;
  }
  const [, agent, model] = /^agent:([^/\s]+)\/(\S+)$/.exec(text) ?? [];
  if (agent === undefined || model === undefined) return { ok: false, message: `${AGENT_EXAMPLE}; got '${text}'` };
  return { ok: true, by: 'agent', agent, model };
}
