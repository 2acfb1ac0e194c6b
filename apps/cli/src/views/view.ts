import type { Json } from '#/print/value.ts'
import type { Colors } from '#/terminal.ts'

/** What a view prints on. */
export interface Paper {
  /** Width; Infinity where nothing wraps. */
  readonly columns: number
  readonly colors: Colors
  /** Safe text of an error code; undefined for one that this client does not know. */
  readonly messageOf: (code: string) => string | undefined
}

/** An answer that people read better in a form of its own than as a plain record. */
export interface View {
  /**
   * Another read that it shows too, or several, whose answers are a list in this order. Where one is refused, the view does
   * without it.
   */
  readonly also?: (data: Json) => FurtherRead | readonly FurtherRead[]
  readonly lines: (data: Json, also: unknown, paper: Paper) => Promise<readonly string[]> | readonly string[]
}

export interface FurtherRead {
  readonly operation: string
  readonly members: Json
  /** For what asks Nodes, which may be silent. */
  readonly timeoutSeconds?: number
}

/** A whole list. */
export const wholeList = (operation: string): FurtherRead => ({ operation, members: {} })

/** A list whose rows say more with what other lists say. */
export interface ListView {
  /** The lists that are read too. Where one is refused, the rows do without it. */
  readonly also: (data: readonly Json[]) => readonly FurtherRead[]
  /** `also` are their answers, in the same order. */
  readonly rows: (data: readonly Json[], also: readonly unknown[]) => readonly Json[]
}

/** A stream that people read better in a form of its own than as members in a row. */
export interface StreamText {
  line(data: unknown): readonly string[]
  /** What is left when the stream ends. */
  end(): readonly string[]
}

export type Row = readonly [name: string, text: string]

/** A heading with aligned names and texts below it; nothing at all without rows. */
export function section(title: string, rows: readonly Row[], { colors }: Paper): readonly string[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${colors.dim(name.padEnd(width))}  ${text}`.trimEnd())
  return ['', colors.bold(title), ...lines]
}
