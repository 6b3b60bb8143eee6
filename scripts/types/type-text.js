/**
 * @typedef {{ $ref?: string, properties?: Record<string, Schema>, required?: string[], items?: Schema, anyOf?:
 *   Schema[], oneOf?: Schema[], allOf?: Schema[], additionalProperties?: Schema | boolean, type?: string | string[],
 *   const?: unknown, enum?: unknown[], description?: string }} Schema the used part of JSON Schema
 */

/**
 * Returns a JSON Schema as a type of TypeScript, with descriptions of fields as comments.
 * @param {Schema} schema
 * @returns {string}
 */
export function typeText(schema) {
  const choices = choicesOf(schema);
  if (choices !== null) return [...new Set(choices)].join(' | ');
  // The only recursive schema is that of JSON values.
  if (schema.$ref !== undefined) return schema.$ref.includes('#') ? 'Json' : schema.$ref;
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${typeText(schema.items ?? {})}>`;
    case 'object':
      return schema.properties === undefined
        ? `Record<string, ${typeText(typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})}>`
        : `{\n${fieldsText(schema)}\n}`;
    default:
      return 'Json';
  }
}

/**
 * Returns the alternatives of a type; null if there is only one.
 * @param {Schema} schema
 * @returns {string[] | null}
 */
function choicesOf({ anyOf, oneOf, allOf, enum: values, type, ...rest }) {
  const options = anyOf ?? oneOf ?? (allOf?.length === 1 ? allOf : undefined);
  if (options !== undefined) return options.map(typeText);
  if ('const' in rest) return [JSON.stringify(rest.const)];
  if (values !== undefined) return values.map((value) => JSON.stringify(value));
  return Array.isArray(type) ? type.map((one) => typeText({ ...rest, type: one })) : null;
}

/**
 * Returns the fields of a map. One that may be absent has a question mark.
 * @param {Schema} map
 */
const fieldsText = ({ properties = {}, required = [] }) =>
  Object.entries(properties)
    .map(
      ([name, field]) =>
        `${comment(field.description)}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeText(field)};`,
    )
    .join('\n');

/** @param {string | undefined} text */
export const comment = (text) => (text === undefined || text === '' ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`);
