import type { JsonSchema } from '#/json-schema.ts'

/** A schema in a few words: the record it refers to, a list of them, or its members with their types. */
export function shapeOf(schema: JsonSchema): string {
  if (schema.$ref) return `\`${schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)}\``
  if (schema.enum) return schema.enum.map((choice) => `\`${String(choice)}\``).join(' or ')
  if (schema.anyOf) return schema.anyOf.map(shapeOf).join(' or ')
  if (schema.type === 'array')
    return `list of ${typeof schema.items === 'object' && !Array.isArray(schema.items) ? shapeOf(schema.items) : 'values'}`
  if (schema.type === 'object' && schema.properties) return `{ ${memberList(schema.properties)} }`
  return typeName(schema.type)
}

const memberList = (properties: NonNullable<JsonSchema['properties']>): string =>
  Object.entries(properties)
    .map(([name, member]) => (typeof member === 'object' ? `\`${name}\` ${shapeOf(member)}` : `\`${name}\``))
    .join(', ')

/** JSON Schema also takes a list of types, which its types here leave out. */
const typeName = (type: unknown): string => {
  if (Array.isArray(type)) return type.map(String).map(typeName).join(' or ')
  return type === 'string' ? 'text' : typeof type === 'string' ? type : 'any JSON'
}
