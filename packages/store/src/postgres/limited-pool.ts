import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'

/** How long a query may take from now on, in milliseconds; undefined for no limit. */
export type QueryLimit = () => number | undefined

// Text of the driver.
const TIMED_OUT = 'Query read timeout'

/**
 * The pool with a limit for each query. A connection on which one was not answered in time is closed instead of used again: a
 * server that went silent without a word would take the limit from everybody who gets it.
 */
export function limitedPool(pool: Pool, limit: QueryLimit): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const limited = known.get(client) ?? limitedClient(client, limit)
      known.set(client, limited)
      return limited
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

function limitedClient(client: PoolClient, limit: QueryLimit): PostgresPoolClient {
  let isSilent = false
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    // What else waits on it, such as the end of a transaction, would wait as long again.
    if (isSilent) throw new Error(TIMED_OUT)
    try {
      return await client.query({ text, values: [...parameters], ...timeoutOf(limit()) })
    } catch (error) {
      isSilent = error instanceof Error && error.message === TIMED_OUT
      throw error
    }
  }
  const release = (destroy?: boolean): void => client.release(destroy === true || isSilent)
  return { query, release } as PostgresPoolClient // No query of the store is a cursor.
}

const timeoutOf = (milliseconds: number | undefined): { readonly query_timeout?: number } =>
  milliseconds === undefined ? {} : { query_timeout: milliseconds }
