// `./fleet node:show 1 --json` against a running gateway. The bar allows two starts of node and the request, loading TLS
// included: as long as `node -e 0` and a bare script with the same request take one after the other.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, measure, median, sideBySide } from './measure.ts'
import { startServer } from './servers/child.ts'
import { execute } from './ssh-server.ts'

const RUNS = 40
const FLEET = new URL('../fleet', import.meta.url).pathname
const REQUEST = new URL('servers/request.mjs', import.meta.url).pathname

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    using gateway = await startServer('gateway', join(home, 'gateway'), '10', '0')
    const { url, ca } = gateway.ready
    const client = join(home, 'client')
    const caFile = join(client, 'root.crt')
    mkdirSync(client)
    writeFileSync(caFile, ca)
    const facts = { base_url: url, ca_file: caFile, nodes: [], pid: gateway.child.pid }
    writeFileSync(join(client, 'embedded.json'), JSON.stringify(facts))
    const env = { PATH: process.env['PATH'], HOME: client, FLEET_HOME: client }
    const taken = await sideBySide(
      RUNS,
      () => execute(FLEET, ['node:show', '1', '--json'], { env }),
      async () => {
        await execute(process.execPath, ['-e', '0'], { env })
        await execute(process.execPath, [REQUEST, `${url}/api/v1/nodes/1`, caFile], { env })
      },
    )
    yield measure(
      'cli-start',
      'ms',
      median(taken.ours),
      'node -e 0, then a bare script with the request',
      median(taken.theirs),
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
