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
    'Events that the gateway publishes on the channel `fleet`: `{type, id, at, data, sequence, run}`. `id` is the id of the record, `at` the time of sending; with `sequence` and `run` a client detects missed events ([guide](../guides/follow-the-fleet.md)). An event is sent within the request that changed the record, after the change has succeeded and before the response. A failed request and a repeat that changes nothing send none. The data of a record is what its list operation returns; see [records](records.md). This page is generated from the contract: `npm run generate`.',
    table(
      ['Event', 'Data', 'When'],
      rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  ])
}
