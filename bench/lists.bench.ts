// Lists of 1,000 Nodes and 10,000 Instances; the cost of a list follows the answer, not the fleet.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import { type Measure, measure, percentile } from './measure.ts'
import { startServer } from './servers/child.ts'

const REQUESTS = 120

export async function* run(): AsyncGenerator<Measure> {
  for (const [path, what] of [
    ['nodes', '1,000 Nodes'],
    ['instances', '10,000 Instances'],
  ] as const) {
    const large = await ninetyNine(path, '1000', '10000')
    const small = await ninetyNine(path, '100', '1000')
    yield measure(`list-${path}`, 'ms p99', large, `a tenth of ${what}`, small)
  }
}

async function ninetyNine(path: string, nodes: string, instances: string): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    using gateway = await startServer('gateway', home, nodes, instances)
    const { taken } = await load(`${gateway.ready.url}/api/v1/${path}`, gateway.ready.ca, REQUESTS, 1)
    return percentile(taken, 0.99)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
