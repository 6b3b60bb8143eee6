import { mayBeNull, valueOf } from './field-rows.js';

/** @typedef {import('./field-rows.js').Schema} Schema */

/**
 * One row a kind of a map: its name, its fields, what it is. `field?` may be left out, `field|null` may be null.
 * @param {Schema[]} kinds
 * @param {{ leaveOut?: readonly string[], describe?: boolean }} options fields that all kinds have; whether to say what each field is
 * @returns {{ kind: string, fields: string, meaning: string }[]}
 */
export const kindRows = (kinds, { leaveOut = [], describe = false } = {}) =>
  kinds.map((kind) => {
    const { type, ...fields } = kind.properties ?? {};
    const names = type?.enum ?? [type?.const];
    const own = Object.entries(fields).filter(([name]) => !leaveOut.includes(name));
    const described = own.flatMap(([name, { description }]) =>
      describe && description !== undefined ? [`\`${name}\`: ${description}`] : [],
    );
    return {
      kind: names.map((name) => `\`${String(name)}\``).join(', '),
      fields: own.map(([name, field]) => fieldName(name, field, kind.required ?? [])).join(', '),
      meaning: [kind.description ?? '', ...described].filter((text) => text !== '').join('; '),
    };
  });

/**
 * One row a kind of a map with one key, which names it.
 * @param {Schema[]} kinds
 */
export const keyRows = (kinds) =>
  kinds.flatMap((kind) =>
    Object.entries(kind.properties ?? {}).map(([key, value]) => ({
      kind: `\`${key}\``,
      fields: Object.entries(value.properties ?? {})
        .map(([name, field]) => fieldName(name, field, value.required ?? []))
        .join(', '),
      meaning: value.description ?? '',
    })),
  );

/** @param {string} name @param {Schema} field @param {readonly string[]} required */
function fieldName(name, field, required) {
  if ('default' in field) return `\`${name}\` (${JSON.stringify(field.default).replaceAll('"', '')})`;
  const isOptional = required.length > 0 ? !required.includes(name) : true;
  return `\`${name}${isOptional ? '?' : ''}${valueOf(field) !== field && mayBeNull(field) ? '|null' : ''}\``;
}
