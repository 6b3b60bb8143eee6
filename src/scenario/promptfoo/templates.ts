import { isMap } from '#lib';

/** Values of variables, by name. */
export type Vars = Readonly<Record<string, unknown>>;

/** Replaces `{{ name }}` and `{{ name.part }}`; the reason why a text cannot be filled in, for templates with more. */
export function fillTemplate(text: string, vars: Vars): { ok: true; text: string } | { ok: false; reason: string } {
  if (/\{%|\{#/.test(text)) return { ok: false, reason: 'templates with {% ... %} or {# ... #} are not filled in' };
  const missing: string[] = [];
  const filled = text.replace(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (whole, expression: string) => {
    const value = /^[\w$]+(\.[\w$]+)*$/.test(expression) ? lookUp(vars, expression.split('.')) : undefined;
    if (value === undefined) missing.push(whole);
    return textOf(value);
  });
  return missing.length === 0
    ? { ok: true, text: filled }
    : {
        ok: false,
        reason: `${missing.join(', ')} is no variable with a value; only {{ name }} and {{ name.part }} are filled in`,
      };
}

const lookUp = (vars: unknown, [name = '', ...rest]: readonly string[]): unknown => {
  const value = isMap(vars) && Object.hasOwn(vars, name) ? vars[name] : undefined;
  return rest.length === 0 || value === undefined ? value : lookUp(value, rest);
};

/** A value as a template shows it: a text as it is, and anything else as JSON. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** The combinations of the values of variables: a list stands for one test with each of its items. */
export function expandVars(vars: Vars, keepLists: boolean): Vars[] {
  if (keepLists) return [vars];
  return Object.entries(vars).reduce<Record<string, unknown>[]>(
    (all, [name, value]) =>
      (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) =>
        all.map((vars) => ({ ...vars, [name]: one })),
      ),
    [{}],
  );
}

/** The text of a prompt: a chat of a system message and one of the user becomes one text. */
export function promptText(text: string): { ok: true; text: string } | { ok: false; reason: string } {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return { ok: true, text };
  let chat: unknown;
  try {
    chat = JSON.parse(trimmed);
  } catch {
    return { ok: true, text };
  }
  if (!Array.isArray(chat) || !chat.every((one) => isMap(one) && typeof one['role'] === 'string'))
    return { ok: true, text };
  const messages = chat as { role: string; content?: unknown }[];
  const roles = messages.map(({ role }) => role).join();
  if (!/^((system|developer),)*user$/.test(roles))
    return { ok: false, reason: `a chat of ${roles}: only system messages and one of the user can be a prompt` };
  const texts = messages.map(({ content }) => contentOf(content));
  return texts.every((one) => one !== null)
    ? { ok: true, text: texts.join('\n\n') }
    : { ok: false, reason: 'a message with other content than text' };
}

function contentOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content.map((part: unknown) => (isMap(part) && typeof part['text'] === 'string' ? part['text'] : null));
  return parts.every((part) => part !== null) ? parts.join('\n') : null;
}
