import { eventRegistry } from '@fleet/contract'
import { SchemaWriter } from '#/json-schema.ts'
import { page, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

/** `events.md`: every event that the feed can send, with its data and when it fires. */
export function eventsMarkdown(): string {
  const writer = new SchemaWriter()
  const rows = Object.entries(eventRegistry).map(([type, { data, summary }]) => [
    `\`${type}\``,
    shapeOf(writer.write(data)),
    summary,
  ])
  return page([
    '# Events',
    'What the gateway tells on the channel `fleet`: `{type, id, at, data, sequence, run}`. `id` is that of the record, `at` the time of sending; by `sequence` and `run` a client sees whether it missed one ([guide](../guides/follow-the-fleet.md)). An event is sent inside the request that changed the record, after the change has succeeded and before the answer; a failed request and a repeat that changes nothing send none. Data that names a record is that record as its list operation answers it; see [records](records.md). This page is generated from the contract: `npm run generate`.',
    table(
      ['Event', 'Data', 'When'],
      rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  ])
}
