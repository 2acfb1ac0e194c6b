import { type RawBuilder, sql } from 'kysely'

/** A condition without values, word for word: for a partial index, which SQLite uses only where a statement repeats its condition. */
export const condition = (text: string): RawBuilder<boolean> => sql.raw<boolean>(text)
