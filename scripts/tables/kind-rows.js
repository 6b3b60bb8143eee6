import { mayBeNull, valueOf } from './field-rows.js';

/** @typedef {import('./field-rows.js').Schema} Schema */

/**
 * Returns one row per kind of a map: its name, fields and meaning. `field?` may be left out, `field|null` may be null.
 * @param {Schema[]} kinds
 * @param {{ leaveOut?: readonly string[] }} options fields to leave out because all kinds have them
 * @returns {{ kind: string, fields: string, meaning: string }[]}
 */
export const kindRows = (kinds, { leaveOut = [] } = {}) =>
  kinds.map((kind) => {
    const { type, ...fields } = kind.properties ?? {};
    const names = type?.enum ?? [type?.const];
    const own = Object.entries(fields).filter(([name]) => !leaveOut.includes(name));
    return {
      kind: names.map((name) => `\`${String(name)}\``).join(', '),
      fields: own.map(([name, field]) => fieldName(name, field, kind.required ?? [])).join(', '),
      meaning: kind.description ?? '',
    };
  });

/**
 * Returns one row per kind of a map with a single key, which names the kind.
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
