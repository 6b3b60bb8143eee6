/** A model by the provider that serves it, as `provider/model`; the model's own name may hold more slashes. */
export type ModelName = { ok: true; provider: string; model: string } | { ok: false; message: string };

/** Who judges: a model that is asked by API, or an agent that is started with a model, as `agent:<agent>/<model>`. */
export type JudgeName =
  | { ok: true; by: 'api'; provider: string; model: string }
  | { ok: true; by: 'agent'; agent: string; model: string }
  | { ok: false; message: string };

const EXAMPLE = 'expected provider/model, like "anthropic/claude-sonnet-4-5"';
const AGENT_EXAMPLE = 'expected agent:<agent>/<model>, like "agent:codex/gpt-5.1"';

/** A model as an agent's cell names it: `provider/model`, or a model of the agent's own provider. */
export function splitModel(text: string, ownProvider: string): { provider: string; model: string } {
  const name = parseModelName(text);
  return name.ok ? { provider: name.provider, model: name.model } : { provider: ownProvider, model: text };
}

/** Reads `provider/model`; the message of what is none says what to write. */
export function parseModelName(text: string): ModelName {
  const [, provider, model] = /^([\w.-]+)\/(\S+)$/.exec(text) ?? [];
  if (provider === undefined || model === undefined)
    return { ok: false, message: `${EXAMPLE}; got '${text}'` };
  return { ok: true, provider, model };
}

/** Reads the name of a judge; the message of what is none says what to write. */
export function parseJudgeName(text: string): JudgeName {
  if (!text.startsWith('agent:')) {
    const name = parseModelName(text);
    return name.ok ? { ...name, by: 'api' } : name;
  }
  const [, agent, model] = /^agent:([^/\s]+)\/(\S+)$/.exec(text) ?? [];
  if (agent === undefined || model === undefined)
    return { ok: false, message: `${AGENT_EXAMPLE}; got '${text}'` };
  return { ok: true, by: 'agent', agent, model };
}
