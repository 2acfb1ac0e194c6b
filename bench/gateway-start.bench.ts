// From the start of the process to the first answer, with 1,000 Nodes stored, beside a bare node process that ends at once.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import { type Measure, measure, median } from './measure.ts'
import { startServer } from './servers/child.ts'

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    await firstAnswer(home)
    const ours: number[] = []
    const bare: number[] = []
    for (let round = 0; round < 5; round += 1) {
      ours.push(await firstAnswer(home))
      const start = performance.now()
      execFileSync(process.execPath, ['-e', '0'])
      bare.push(performance.now() - start)
    }
    yield measure('gateway-start', 'ms', median(ours), 'node -e 0', median(bare))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function firstAnswer(home: string): Promise<number> {
  const start = performance.now()
  using gateway = await startServer('gateway', home, '1000', '0')
  await load(`${gateway.ready.url}/api/v1/gateway/status`, gateway.ready.ca, 1, 1)
  return performance.now() - start
}
