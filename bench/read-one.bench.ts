// An authenticated read of one record, Activity included, beside a bare fastify route with the same SQLite read.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import { type Measure, measure, median, percentile } from './measure.ts'
import { startServer } from './servers/child.ts'

const ROUNDS = 5
const REQUESTS = 3000
const CONNECTIONS = 16

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    using gateway = await startServer('gateway', home, '10', '0')
    using bare = await startServer('bare', join(home, 'gateway.sqlite'))
    const ours: number[] = []
    const theirs: number[] = []
    const ninetyNine: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const fleet = await load(`${gateway.ready.url}/api/v1/nodes/1`, gateway.ready.ca, REQUESTS, CONNECTIONS)
      const plain = await load(`${bare.ready.url}/nodes/1`, bare.ready.ca, REQUESTS, CONNECTIONS)
      ours.push(fleet.perSecond)
      theirs.push(plain.perSecond)
      ninetyNine.push(percentile(fleet.taken, 0.99))
    }
    yield measure(
      'read-one',
      'requests/s',
      median(ours),
      'bare fastify route, same SQLite read, no Activity',
      median(theirs),
    )
    console.error(`read-one p99 ${median(ninetyNine).toFixed(2)} ms`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
