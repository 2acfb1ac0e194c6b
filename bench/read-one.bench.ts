// An authenticated read of one record, Activity included, beside bare fastify routes: one with the same SQLite reads, one with a single row.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, load } from './load.ts'
import { type Measure, measure, median, percentile } from './measure.ts'
import { type ServerProcess, startServer } from './servers/child.ts'

const ROUNDS = 15
const REQUESTS = 1000
const CONNECTIONS = 16

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    using gateway = await startServer('gateway', home, '10', '0')
    using bare = await startServer('bare', join(home, 'gateway.sqlite'))
    const fleet: Load[] = []
    const record: Load[] = []
    const row: Load[] = []
    const send = (server: ServerProcess, path: string): Promise<Load> =>
      load(`${server.ready.url}${path}`, server.ready.ca, REQUESTS, CONNECTIONS)
    for (let round = 0; round < ROUNDS; round += 1) {
      fleet.push(await send(gateway, '/api/v1/nodes/1'))
      record.push(await send(bare, '/record/1'))
      row.push(await send(bare, '/row/1'))
    }
    const ours = perSecond(fleet)
    yield measure('read-one', 'requests/s', ours, 'bare fastify route, same SQLite reads', perSecond(record))
    yield measure('read-one-row', 'requests/s', ours, 'bare fastify route, one row read', perSecond(row))
    console.error(`read-one p99 ${median(fleet.map(({ taken }) => percentile(taken, 0.99))).toFixed(2)} ms`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const perSecond = (loads: readonly Load[]): number => median(loads.map((each) => each.perSecond))
