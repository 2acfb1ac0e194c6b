import type { Cell, TableColumns } from '#/access.ts'
import type { FailureDetails } from '#/failure.ts'

/** What the gateway writes to the standard input of the command, as one line of JSON (DB-065). */
export interface Envelope {
  /** 64 hexadecimal digits. */
  readonly token: string
  readonly path: string
  readonly timeoutMilliseconds: number
  readonly ask:
    | { readonly kind: 'query'; readonly sql: string; readonly write: boolean }
    | { readonly kind: 'schema' }
}

/** What the command prints, as one line of JSON. */
export type Answer =
  | {
      readonly kind: 'rows'
      readonly columns: readonly string[]
      readonly rows: ReadonlyArray<readonly Cell[]>
      /** Rows that a write changed; absent for a read. */
      readonly changes?: number
      readonly truncated: boolean
    }
  | { readonly kind: 'schema'; readonly tables: readonly TableColumns[] }
  | {
      readonly kind: 'failure'
      readonly code: string
      readonly message: string
      readonly details: FailureDetails
    }

/** Throws for what no gateway of this version writes. */
export function readEnvelope(text: string): Envelope {
  const value: unknown = JSON.parse(text)
  if (!isEnvelope(value)) throw new Error('not an envelope')
  return value
}

function isEnvelope(value: unknown): value is Envelope {
  const { token, path, timeoutMilliseconds, ask } = Object(value) as Record<string, unknown> // as: members of any object are unknown.
  const { kind, sql, write } = Object(ask) as Record<string, unknown> // as: members of any object are unknown.
  const isQuery = kind === 'query' && typeof sql === 'string' && typeof write === 'boolean'
  return (
    typeof token === 'string' &&
    typeof path === 'string' &&
    typeof timeoutMilliseconds === 'number' &&
    (isQuery || kind === 'schema')
  )
}

export function readAnswer(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const { kind } = Object(value) as { kind?: unknown } // as: members of any object are unknown.
    // as: printed by the same version of this package, from an Answer.
    return kind === 'rows' || kind === 'schema' || kind === 'failure' ? (value as Answer) : undefined
  } catch {
    return undefined
  }
}
