import type { JsonSchema } from '#/json-schema.ts'
import { page, table } from './markdown.ts'
import { writtenRecords } from './records.ts'

/** `states.md`: for every record that has them, the statuses and steps it can be in, in their order. */
export function statesMarkdown(): string {
  const sections = Object.entries(writtenRecords()).flatMap(([name, schema]) => {
    const rows = stateRows(schema)
    // A detail record repeats the record it extends.
    return rows.length === 0 || name.endsWith('Detail')
      ? []
      : [`## ${name}`, table(['Member', 'Values, in order'], rows)]
  })
  return page([
    '# States',
    'The statuses and recorded steps of the records. This page is generated from the contract: `npm run generate`.',
    ...sections,
  ])
}

function stateRows({ properties }: JsonSchema): ReadonlyArray<readonly string[]> {
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const values = typeof member === 'object' ? choicesOf(member) : undefined
    if (!values || !/(?:^|_)(?:status|state|step)$/.test(name)) return []
    return [[`\`${name}\``, values.map((value) => `\`${value}\``).join(', ')]]
  })
}

/** Values of an enumeration, also one that may be null. */
function choicesOf(schema: JsonSchema): readonly string[] | undefined {
  if (schema.enum) return schema.enum.map(String)
  const inner = schema.anyOf?.flatMap(
    (choice) => choicesOf(choice) ?? (choice.type === 'null' ? ['null'] : []),
  )
  return inner?.some((value) => value !== 'null') ? inner : undefined
}
