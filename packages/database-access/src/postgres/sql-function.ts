import { DatabaseFailure } from '#/failure.ts'
import type { CatalogFunction } from './catalog.ts'
import { type PostgresRead, readStatement } from './statement.ts'
import { argumentsAsParameters } from './arguments.ts'

/**
 * The body of a function in SQL as a statement with parameters `$1`, `$2`, …, which the server can analyze with the types
 * of its arguments. Undefined unless it is one SELECT.
 */
export async function inlinedBody({
  name,
  source,
  argumentNames,
}: CatalogFunction): Promise<string | undefined> {
  return (await isSelect(source))
    ? argumentsAsParameters(source, { functionName: name, names: argumentNames ?? [] })
    : undefined
}

/** Whether a text is one SELECT. */
export async function isSelect(text: string): Promise<boolean> {
  try {
    const { kind }: PostgresRead = await readStatement(text)
    return kind === 'select'
  } catch (error) {
    if (error instanceof DatabaseFailure) return false
    throw error
  }
}
