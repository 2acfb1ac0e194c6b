import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Sockets } from '#/postgres/sockets.ts'

/** How long a query may take from now on, in milliseconds; undefined for no limit. */
export type QueryLimit = () => number | undefined

// Text of the driver.
const TIMED_OUT = 'Query read timeout'

/** The server gives up first, while its word still counts: what was answered as failed must not be carried out later. */
const OF_SERVER = 0.8

/**
 * The pool with a limit for each query, which its server keeps too, and for the silence within a transaction: the rows that it holds
 * would be kept from everybody for as long as a gateway that has stopped is there. A connection on which one was not answered in time is closed instead of used again: a
 * server that went silent without a word would take the limit from everybody who gets it.
 */
export function limitedPool(pool: Pool, limit: QueryLimit, sockets: Sockets): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const limited = known.get(client) ?? limitedClient(client, limit)
      known.set(client, limited)
      return limited
    },
    end: () => sockets.end(pool.end()),
    options: pool.options,
  }
}

function limitedClient(client: PoolClient, limit: QueryLimit): PostgresPoolClient {
  let isSilent = false
  let ofServer: number | undefined
  const ask = async (text: string, parameters: readonly unknown[], milliseconds: number | undefined) => {
    // What else waits on it, such as the end of a transaction, would wait as long again.
    if (isSilent) throw new Error(TIMED_OUT)
    try {
      return await client.query({ text, values: [...parameters], ...timeoutOf(milliseconds) })
    } catch (error) {
      isSilent = error instanceof Error && error.message === TIMED_OUT
      throw error
    }
  }
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    const milliseconds = limit()
    if (milliseconds !== ofServer) {
      const [statement, silence] = [Math.ceil((milliseconds ?? 0) * OF_SERVER), milliseconds ?? 0]
      await ask(
        `set statement_timeout = ${statement}; set idle_in_transaction_session_timeout = ${silence}`,
        [],
        milliseconds,
      )
      ofServer = milliseconds
    }
    return ask(text, parameters, milliseconds)
  }
  const release = (destroy?: boolean): void => client.release(destroy === true || isSilent)
  return { query, release } as PostgresPoolClient // No query of the store is a cursor.
}

const timeoutOf = (milliseconds: number | undefined): { readonly query_timeout?: number } =>
  milliseconds === undefined ? {} : { query_timeout: milliseconds }
