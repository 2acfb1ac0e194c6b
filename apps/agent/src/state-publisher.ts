import type { Clock } from '@fleet/kernel'
import type { Connection } from '@fleet/pusher-client'

/** Bytes of one message, the frame around it included, that items of a list may fill (AG-029, LIM-012). */
const LIST_MAX_BYTES = 9400

/** Counts the messages of one run of the agent (AG-024). */
export class Numbers {
  #last = 0
  next(): number {
    return ++this.#last
  }
}

/** Says things on one channel of one connection, each with the next number and the Node's own time (AG-024, AG-026). */
export class StatePublisher {
  readonly #connection: Connection
  readonly #channel: string
  readonly #numbers: Numbers
  readonly #clock: Clock

  constructor(connection: Connection, channel: string, numbers: Numbers, clock: Clock) {
    this.#connection = connection
    this.#channel = channel
    this.#numbers = numbers
    this.#clock = clock
  }

  report(event: `client-${string}`, data: Readonly<Record<string, unknown>>): void {
    const stamped = { sequence: this.#numbers.next(), at: this.#clock.now().toISOString(), ...data }
    this.#connection.trigger(this.#channel, event, stamped)
  }

  /** One list in as many messages as it needs, numbered from 1 (AG-028). */
  reportList(
    event: `client-${string}`,
    name: string,
    items: readonly unknown[],
    data: Readonly<Record<string, unknown>> = {},
  ): void {
    const parts = inParts(items, LIST_MAX_BYTES)
    for (const [index, part] of parts.entries())
      this.report(event, { ...data, part: index + 1, parts: parts.length, [name]: part })
  }
}

/** Cuts a list so that the JSON of each part has at most so many bytes; an empty list is one empty part. */
export function inParts<T>(items: readonly T[], maxBytes: number): readonly (readonly T[])[] {
  const parts: T[][] = [[]]
  let bytes = 0
  for (const item of items) {
    // With its comma.
    const size = Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > 0 && bytes + size > maxBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(item)
    bytes += size
  }
  return parts
}
