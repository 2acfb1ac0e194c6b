import * as contract from '@fleet/contract'
import type { Operation } from '@fleet/contract'
import * as z from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Shared records by component name: every object schema that the contract exports (`nodeDetail` becomes `NodeDetail`). What an
 * event carries has the name that the specification gives it: `node` becomes `NodeData` (EV-009).
 */
export function records(): ReadonlyMap<string, z.ZodObject> {
  const inEvents = new Set<unknown>(Object.values(contract.eventRegistry).map(({ data }) => data))
  const exported: ReadonlyArray<[string, unknown]> = Object.entries(contract)
  const found = exported.flatMap(([name, value]): Array<[string, z.ZodObject]> =>
    value instanceof z.ZodObject ? [[pascal(name) + (inEvents.has(value) ? 'Data' : ''), value]] : [],
  )
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The input as one object with path, query and body members, without references (MCP-006). */
export function inputSchema(operation: Operation): JsonSchema {
  return withoutMeta(z.toJSONSchema(operation.input, { io: 'input', override: tidy }))
}

/** Turns schemas into JSON Schema with references to shared records; `components()` then holds each record that was used. */
export class SchemaWriter {
  readonly #registry = z.registry<{ id: string }>()
  readonly #used = new Map<string, JsonSchema>()

  constructor(shared: ReadonlyMap<string, z.ZodObject> = records()) {
    for (const [id, schema] of shared) this.#registry.add(schema, { id })
  }

  write(schema: z.ZodType): JsonSchema {
    // A record at the top would be written out in full, so it is asked for as a member.
    const { $defs, properties } = pointed(
      z.toJSONSchema(z.object({ it: schema }), { metadata: this.#registry, override: tidy }),
    )
    for (const [name, definition] of Object.entries($defs ?? {})) this.#used.set(name, definition)
    return asSchema(properties?.['it'])
  }

  components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#used].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** Classes by Unicode property and looking around, which the expressions of Python, Go and others do not have. */
const NOT_EVERYWHERE = /\\p\{|\(\?[=!<]/i

interface Written {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: JsonSchema
}

/**
 * Whole numbers carry the bounds of JavaScript, which mean nothing to a reader. A pattern is left out where a client could not
 * even read the document for it; the gateway holds the rule. A time says its format.
 */
const tidy = ({ zodSchema, jsonSchema }: Written): void => {
  // The registry of the components hides what a schema says of itself.
  const format = z.globalRegistry.get(zodSchema)?.['format']
  if (typeof format === 'string') jsonSchema.format = format
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.format === 'uuid' || !isEverywhere(jsonSchema)) delete jsonSchema.pattern
  if (jsonSchema.allOf) jsonSchema.allOf = jsonSchema.allOf.filter(isEverywhere)
  delete jsonSchema['id']
}

const isEverywhere = ({ pattern }: JsonSchema): boolean => !NOT_EVERYWHERE.test(pattern ?? '')

const withoutMeta = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema

const pointed = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema // A schema with other reference texts is a schema.

/** A property of an object schema may be written as true or false; zod writes objects. */
const asSchema = (schema: JsonSchema | boolean | undefined): JsonSchema =>
  typeof schema === 'object' ? schema : {}

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
