import { watch } from 'node:fs'
import { dirname, basename } from 'node:path'
import { type Clock, nextTurn, within } from '@fleet/kernel'
import { CatalogFile } from './catalog-file.ts'
import type { Endpoint } from './endpoint.ts'
import { InHand } from './in-hand.ts'
import type { Log } from './log.ts'
import { makeRespond } from './responder.ts'
import type { Sockets } from './sockets.ts'
import { answerTcp } from './tcp-front.ts'
import { answerUdp } from './udp-front.ts'
import { askOverTcp } from './upstream-tcp.ts'
import { UdpUpstream } from './upstream-udp.ts'

const IDLE_MILLISECONDS = 1000
/** A stop finishes the queries in progress, at most this long (RTX-106). */
const STOP_MILLISECONDS = 5000

export interface ListenerDeps {
  readonly sockets: Sockets
  readonly catalogPath: string
  readonly upstream: Endpoint
  readonly clock: Clock
  readonly log: Log
}

export interface Listener {
  /** Finishes the queries in progress, then closes everything. Idempotent. */
  stop(): Promise<void>
}

/** Answers on both sockets from the moment it returns. */
export async function startListener(deps: ListenerDeps): Promise<Listener> {
  const { sockets, catalogPath, upstream, clock, log } = deps
  const closing = new AbortController()
  const catalog = new CatalogFile(catalogPath, clock, log)
  catalog.open()
  const overUdp = await UdpUpstream.connect(upstream, clock)
  const inHand = new InHand()
  const respond = makeRespond(() => catalog.current())
  answerUdp(sockets.udp, { respond, inHand, forward: (query, from) => overUdp.ask(query, from) })
  const endTcp = answerTcp(sockets.tcp, {
    respond,
    inHand,
    forward: (query) => askOverTcp(upstream, query, closing.signal),
  })
  void keepFresh(catalog, catalogPath, clock, closing.signal)
  log('listening')
  const stop = async (): Promise<void> => {
    await within(clock, STOP_MILLISECONDS, inHand.idle())
    closing.abort()
    overUdp[Symbol.dispose]()
    // What still waited hears of the failure before the sockets close.
    await nextTurn()
    endTcp()
    sockets.udp.close()
    log('stopped')
  }
  let stopped: Promise<void> | undefined
  return { stop: () => (stopped ??= stop()) }
}

/** A change is seen at once where the kernel reports it, and within an idle second everywhere. */
async function keepFresh(
  catalog: CatalogFile,
  path: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  try {
    const watcher = watch(dirname(path), { signal, persistent: false }, (_event, name) => {
      if (name === basename(path)) catalog.refresh()
    })
    watcher.on('error', () => watcher.close())
  } catch {
    // Out of watches: the ticks below are enough.
  }
  while (!signal.aborted) {
    await clock.sleep(IDLE_MILLISECONDS, signal)
    catalog.tick()
  }
}
