import type { NewRow } from '@fleet/store'
import { storedProperties } from '#/activities/properties.ts'
import type { ActivityEntry } from '#/activities/record.ts'
import type { ActivityNote } from '#/call.ts'

type NotedColumns = Pick<NewRow<'activities'>, 'target_node_id' | 'subject_type' | 'subject_id' | 'exit_code'>

/** What a request has said about itself so far. A later note of the same name replaces the earlier one. */
export class ActivityDraft implements ActivityNote {
  readonly #properties = new Map<string, unknown>()
  #columns: NotedColumns = { target_node_id: null, subject_type: null, subject_id: null, exit_code: null }

  constructor({ client, clientVersion }: Pick<ActivityEntry, 'client' | 'clientVersion'>) {
    if (client !== undefined) this.property('client', client)
    if (clientVersion !== undefined) this.property('client_version', clientVersion)
  }

  target(nodeId: number | null): void {
    this.#columns = { ...this.#columns, target_node_id: nodeId }
  }
  subject(type: string, id: number | string): void {
    this.#columns = { ...this.#columns, subject_type: type, subject_id: String(id) }
  }
  property(name: string, value: unknown): void {
    this.#properties.set(name, value)
  }
  exitCode(code: number): void {
    this.#columns = { ...this.#columns, exit_code: code }
  }

  columns(): NotedColumns {
    return this.#columns
  }
  /** Redacted and bounded. The marks come first, so that they are never cut, and win over notes of their name. */
  properties(marks: Readonly<Record<string, string>> = {}): Record<string, unknown> {
    const first = Object.entries(marks)
    return storedProperties(new Map([...first, ...this.#properties, ...first]))
  }
}
