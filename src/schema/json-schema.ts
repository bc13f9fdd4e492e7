/** JSON Schema, for documentation only: value types parse input. */
export type JsonSchema = Readonly<Record<string, unknown>>
export type JsonProperties = Readonly<Record<string, JsonSchema>>

/** Marks an optional property. A symbol, so that it is not serialized. */
const OPTIONAL = Symbol('optional')

const typed =
  (type: string) =>
  (more: JsonSchema = {}) => ({ type, ...more })

/** Builders of JSON Schemas. Extra keywords are added as given. */
export const Type = {
  Null: typed('null'),
  Boolean: typed('boolean'),
  Integer: typed('integer'),
  Number: typed('number'),
  String: typed('string'),
  Unknown: (): JsonSchema => ({}),
  Ref: ($ref: string): JsonSchema => ({ $ref }),
  Literal: (value: string | number | boolean, more: JsonSchema = {}) => ({ type: typeof value, const: value, ...more }),
  Enum: (values: readonly (string | number)[], more: JsonSchema = {}) => ({ enum: values, ...more }),
  Union: (anyOf: readonly JsonSchema[], more: JsonSchema = {}) => ({ anyOf, ...more }),
  Array: (items: JsonSchema, more: JsonSchema = {}) => ({ type: 'array', items, ...more }),
  Object(properties: JsonProperties, more: JsonSchema = {}): JsonSchema {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...more }
  },
  Optional: (schema: JsonSchema): JsonSchema => ({ ...schema, [OPTIONAL]: true }),
}
