import { type JsonSchema, records, SchemaWriter } from '#/json-schema.ts'
import { page, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

/** `records.md`: the members of every shared record. */
export function recordsMarkdown(): string {
  const schemas = writtenRecords()
  return page([
    '# Records',
    'Records in responses. A member that can be null says so. This page is generated from the contract: `npm run generate`.',
    ...Object.entries(schemas).flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description,
      table(['Member', 'Value'], memberRows(schema)),
    ]),
  ])
}

/** Every shared record as a schema with references to the others. */
export function writtenRecords(): Readonly<Record<string, JsonSchema>> {
  const writer = new SchemaWriter()
  for (const schema of records().values()) writer.write(schema)
  return writer.components()
}

const memberRows = ({ properties }: JsonSchema): ReadonlyArray<readonly string[]> =>
  Object.entries(properties ?? {}).map(([name, member]) => [
    `\`${name}\``,
    typeof member === 'object' ? described(member) : 'any JSON',
  ])

const described = (member: JsonSchema): string =>
  shapeOf(member) + (member.description ? `. ${member.description}` : '')
