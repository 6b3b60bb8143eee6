/**
 * @typedef {{ properties?: Record<string, Schema>, required?: string[], items?: Schema, anyOf?: Schema[], oneOf?:
 *   Schema[], additionalProperties?: Schema | boolean, type?: string | string[], const?: unknown, enum?: unknown[],
 *   default?: unknown, description?: string, minimum?: number, exclusiveMinimum?: number, maximum?: number }} Schema
 *   the used part of JSON Schema
 * @typedef {{ field: string, type: string, default: string, meaning: string }} Row
 */

/** A map with at least this many fields is shown only once; later rows refer to its first occurrence. */
const WORTH_A_REFERENCE = 2;

/** The limit of all timers. A maximum as high as this is not shown. */
const LONGEST_TIMER = 2_147_483;

/** @param {unknown} value */
const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
/** @param {Schema} schema */
const isNull = (schema) => schema.type === 'null';

/** Returns the alternatives of a value's type. @param {Schema} schema @returns {Schema[]} */
function choices({ anyOf, oneOf, type, ...rest }) {
  if (Array.isArray(type)) return type.map((one) => ({ ...rest, type: one }));
  return anyOf ?? oneOf ?? [];
}

/** Returns the schema of a value if it is not null. @param {Schema} schema @returns {Schema} */
export function valueOf(schema) {
  const others = choices(schema).filter((choice) => !isNull(choice));
  if (schema.properties !== undefined || others.length !== 1) return schema;
  const [only = {}] = others;
  return { ...only, ...(schema.description === undefined ? {} : { description: schema.description }) };
}

/** @param {Schema} schema */
export const mayBeNull = (schema) => isNull(schema) || choices(schema).some(isNull);

/** Describes a type in a few words, such as `integer from 1`. @param {Schema} schema @returns {string} */
function typeOf(schema) {
  const value = valueOf(schema);
  const name = nameOf(value);
  return value !== schema && mayBeNull(schema) ? `${name} or null` : name;
}

/** @param {Schema} schema @returns {string} */
function nameOf(schema) {
  if ('const' in schema) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.properties !== undefined) return 'map';
  if (choices(schema).length > 0) return [...new Set(choices(schema).map(typeOf))].join(' or ');
  switch (schema.type) {
    case 'array':
      return schema.items === undefined ? 'list' : `list of ${listed(schema.items)}`;
    case 'object':
      return 'map';
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'integer':
      return `integer${range(schema)}`;
    case 'number':
      return `number${range(schema)}`;
    default:
      return 'any JSON';
  }
}

/** Describes the items of a list, in the plural. @param {Schema} items */
const listed = (items) => typeOf(items).replace(/^(text|map|integer|number)/, '$1s');

/** @param {Schema} schema */
function range({ minimum, exclusiveMinimum, maximum = Infinity }) {
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`;
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}`;
  const most = maximum >= LONGEST_TIMER ? '' : `${above === '' ? '' : ','} to ${maximum}`;
  return `${above}${from}${most}`;
}

/**
 * Returns the map inside a value, and the suffix that paths to its fields have.
 * @param {Schema} schema
 * @returns {{ suffix: string, map: Schema } | null}
 */
function mapIn(schema) {
  const value = valueOf(schema);
  if (value.properties !== undefined) return { suffix: '', map: value };
  const kinds = value.oneOf ?? [];
  if (kinds.length > 0 && kinds.every(({ properties }) => Object.keys(properties ?? {}).join() === 'type'))
    return { suffix: '', map: kindsOnly(kinds) };
  if (value.items !== undefined) return inner(value.items, '[]');
  if (typeof value.additionalProperties === 'object') return inner(value.additionalProperties, '.<name>');
  return null;
}

/** @param {Schema} schema @param {string} suffix */
function inner(schema, suffix) {
  const found = mapIn(schema);
  return found === null ? null : { suffix: `${suffix}${found.suffix}`, map: found.map };
}

/** Combines several kinds of maps that have only a type. @param {Schema[]} kinds @returns {Schema} */
function kindsOnly(kinds) {
  const types = kinds.map(({ properties }) => properties?.['type'] ?? {});
  const described = types.map((type) => `${code(type.const)}: ${type.description ?? ''}`);
  return {
    properties: { type: { enum: types.map((type) => type.const), description: described.join('; ') } },
    required: ['type'],
  };
}

/** Returns the same text for maps with the same fields. @param {Schema} map @returns {string} */
const shapeOf = (map) =>
  JSON.stringify(map, (key, value) => (['description', 'default'].includes(key) ? undefined : value));

/**
 * Returns one row per field. Fields of nested maps have paths: `agent.starts`, `steps[].name`.
 * @param {Schema} schema a map
 * @param {Readonly<Record<string, string>>} elsewhere links to the descriptions of maps, by the map's path
 * @returns {Row[]}
 */
export function fieldRows(schema, elsewhere = {}) {
  /** @type {Map<string, string>} */
  const shown = new Map();
  /**
   * @param {Schema} map
   * @param {string} prefix
   * @param {unknown} defaults the default of the whole map
   * @returns {Row[]}
   */
  const rowsOf = (map, prefix, defaults) =>
    Object.entries(map.properties ?? {}).flatMap(([key, field]) => {
      const path = `${prefix}${key}`;
      const isRequired = (map.required ?? []).includes(key);
      const found = mapIn(field);
      const value = Object(defaults)[key] ?? field.default;
      const row = {
        field: code(path),
        type: typeOf(field),
        default: value !== undefined ? code(value) : isRequired ? 'required' : '',
        meaning: field.description ?? valueOf(field).description ?? '',
      };
      const link = elsewhere[path];
      if (link !== undefined) return { ...row, meaning: `${row.meaning}: ${link}` };
      if (found === null) return row;
      const shape = shapeOf(found.map);
      const first = shown.get(shape);
      if (first !== undefined) return { ...row, type: `${row.type}, as \`${first}\``, meaning: row.meaning };
      if (Object.keys(found.map.properties ?? {}).length >= WORTH_A_REFERENCE)
        shown.set(shape, `${path}${found.suffix}`);
      const rows = rowsOf(found.map, `${path}${found.suffix}.`, value);
      const isOnlyMap = found.suffix === '' && !mayBeNull(field) && (isRequired || 'default' in field);
      return isOnlyMap ? rows : [row, ...rows];
    });
  return rowsOf(schema, '', undefined);
}
