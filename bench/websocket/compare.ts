import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, measure, median } from '../measure.ts'
import { gather, saturate } from './fan-out.ts'
import { makeIdentity } from './identity.ts'
import { hasBun, type Kind, type Mode, pinLoad, startServer } from './server.ts'

const ROUNDS = 3
const SECONDS = 2
const UNIT = 'deliveries per second of a core'
const NAMES = { naive: 'ws, send for each subscriber', bun: 'Bun, server.publish' } as const
const OTHERS = ['naive', ...(hasBun ? (['bun'] as const) : [])] as const

/** A channel of so many subscribers. */
export interface Case {
  readonly mode: Mode
  readonly subscribers: number
}

/** One event to many subscribers, with 1 and with 16 publishes in flight. */
export async function* fanOut(cases: readonly Case[]): AsyncGenerator<Measure> {
  pinLoad()
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  try {
    await makeIdentity(home)
    for (const one of cases) yield* compare(one, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function* compare({ mode, subscribers }: Case, home: string): AsyncGenerator<Measure> {
  using stack = new DisposableStack()
  const kinds: readonly Kind[] = ['fleet', ...OTHERS]
  const audiences = []
  for (const kind of kinds) {
    const server = stack.use(await startServer(kind, mode, home))
    audiences.push(stack.use(await gather(server, subscribers)))
  }
  for (const inFlight of [1, 16]) {
    const rates = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]))
    // In turn, so that a disturbance of the machine meets all alike; the first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const audience of audiences) {
        const { perCpuSecond } = await saturate(audience, inFlight, SECONDS)
        if (round > 0) rates.get(audience.server.kind)?.push(perCpuSecond)
      }
    }
    const of = (kind: Kind): number => median(rates.get(kind) ?? [])
    const name = `feed-${mode === 'tls' ? 'tls-' : ''}${subscribers}-by-${inFlight}`
    for (const other of OTHERS) yield measure(`${name}-${other}`, UNIT, of('fleet'), NAMES[other], of(other))
  }
}
