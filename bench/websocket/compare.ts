import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, measure, median } from '../measure.ts'
import { gather, type Rate, saturate } from './fan-out.ts'
import { makeIdentity } from './identity.ts'
import { hasBun, type Kind, type Mode, pinLoad, startServer } from './server.ts'

const ROUNDS = 5
const SECONDS = 2
/** What the server could do with a whole core, and what came of it by the clock, with the load on the other core. */
const RATES = [
  { suffix: '', unit: 'deliveries per second of a core', of: ({ perCpuSecond }: Rate) => perCpuSecond },
  { suffix: '-clock', unit: 'deliveries per second', of: ({ perSecond }: Rate) => perSecond },
] as const
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
    const seen = new Map<Kind, Rate[]>(kinds.map((kind) => [kind, []]))
    // In turn, so that a disturbance of the machine meets all alike; the first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const audience of audiences) {
        const rate = await saturate(audience, inFlight, SECONDS)
        if (round > 0) seen.get(audience.server.kind)?.push(rate)
      }
    }
    const name = `feed-${mode === 'tls' ? 'tls-' : ''}${subscribers}-by-${inFlight}`
    for (const { suffix, unit, of } of RATES) {
      const rate = (kind: Kind): number => median((seen.get(kind) ?? []).map(of))
      for (const other of OTHERS)
        yield measure(`${name}-${other}${suffix}`, unit, rate('fleet'), NAMES[other], rate(other))
    }
  }
}
