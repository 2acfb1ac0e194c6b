// Memory of an idle connection beside a bare node:net server that holds the same sockets, Bun's, and the same over TLS.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, measure } from './measure.ts'
import { join, joinMany, leave } from './websocket/client.ts'
import { makeIdentity } from './websocket/identity.ts'
import { anonymousKib, hasBun, type Kind, type Mode, pinLoad, startServer } from './websocket/server.ts'

const CONNECTIONS: Readonly<Record<Mode, number>> = { plain: 4000, tls: 1000 }
/** For sockets that are closed on one side to be gone on the other. */
const SETTLE_MILLISECONDS = 1000

export async function* run(): AsyncGenerator<Measure> {
  pinLoad()
  const home = mkdtempSync(path(tmpdir(), 'fleet-bench-'))
  try {
    await makeIdentity(home)
    for (const mode of ['plain', 'tls'] as const) {
      const of = (kind: Kind): Promise<number> => perConnection(kind, mode, home)
      const name = mode === 'tls' ? 'feed-memory-tls' : 'feed-memory'
      const ours = await of('fleet')
      yield measure(name, 'KiB per idle connection', ours, 'bare node:net server', await of('bare'))
      yield measure(`${name}-naive`, 'KiB per idle connection', ours, 'ws', await of('naive'))
      if (hasBun) yield measure(`${name}-bun`, 'KiB per idle connection', ours, 'Bun', await of('bun'))
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function perConnection(kind: Kind, mode: Mode, home: string): Promise<number> {
  const count = CONNECTIONS[mode]
  using server = await startServer(kind, mode, home)
  // The first half grows what grows only once: code, pools, the young generation.
  const first = await joinMany(count, () => join(server))
  await sleep(SETTLE_MILLISECONDS)
  await server.collect()
  const before = anonymousKib(server.pid)
  const clients = await joinMany(count, () => join(server))
  await sleep(SETTLE_MILLISECONDS)
  await server.collect()
  const after = anonymousKib(server.pid)
  leave([...first, ...clients])
  return (after - before) / count
}
