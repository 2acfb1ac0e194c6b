import type { Clock } from '@fleet/kernel'
import { sql } from 'kysely'
import { Client } from 'pg'
import { Sockets } from '#/postgres/sockets.ts'
import { type Bell, Listeners } from '#/work/bell.ts'

const CHANNEL = 'fleet_work'
/** Between two attempts to listen again; work that was added meanwhile is found by whoever looks at the time it is due. */
const RECONNECT_MILLISECONDS = 1000
const SILENT_MILLISECONDS = 10_000

/** A bell that every gateway on the database hears: NOTIFY, which PostgreSQL delivers with the commit. */
export function makePostgresBell(url: string, clock: Clock): Bell {
  const listeners = new Listeners()
  const closing = new AbortController()
  let listening: Promise<void> | undefined
  return {
    ring: async (db) => void (await sql`select pg_notify(${CHANNEL}, '')`.execute(db)),
    listen(listener) {
      listening ??= listenOn(url, clock, listeners, closing.signal)
      return listeners.add(listener)
    },
    async close() {
      closing.abort()
      await listening
    },
  }
}

/** Listens until the signal aborts, on its own connection, which is reopened when it breaks. */
async function listenOn(
  url: string,
  clock: Clock,
  listeners: Listeners,
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    await session(url, new Sockets(), { listeners, closing }).catch(() => undefined)
    await clock.sleep(RECONNECT_MILLISECONDS, closing)
  }
}

async function session(
  url: string,
  sockets: Sockets,
  { listeners, closing }: { readonly listeners: Listeners; readonly closing: AbortSignal },
): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: SILENT_MILLISECONDS,
    query_timeout: SILENT_MILLISECONDS,
    // It only listens, so nothing else would tell it that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENT_MILLISECONDS,
  })
  sockets.add(client)
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  client.on('error', () => end())
  client.on('end', () => end())
  client.on('notification', () => listeners.call())
  closing.addEventListener('abort', () => end(), { once: true })
  const listen = async (): Promise<void> => {
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    // What was added while nobody listened has been missed.
    listeners.call()
  }
  try {
    const listening = listen()
    await Promise.race([listening, over])
    if (!closing.aborted) await over
  } finally {
    await sockets.end(client.end())
  }
}
