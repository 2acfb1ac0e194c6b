// Milliseconds from publish to delivery at 1,000 subscribers while the offered load rises; nobody waits for anybody. Beside
// Bun's own publish where it is installed, and ws as anybody writes it, which falls behind early and is asked only at first.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, measure, median } from './measure.ts'
import { type Audience, gather, offer } from './websocket/fan-out.ts'
import { hasBun, type Kind, pinLoad, startServer } from './websocket/server.ts'

const SUBSCRIBERS = 1000
const OFFERED = [40_000, 200_000, 800_000]
const ROUNDS = 3
const SECONDS = 1
const NAMES = { naive: 'ws, send for each subscriber', bun: 'Bun, server.publish' } as const
type Other = keyof typeof NAMES

export async function* run(): AsyncGenerator<Measure> {
  pinLoad()
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  using stack = new DisposableStack()
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const audienceOf = async (kind: Kind): Promise<Audience> =>
    stack.use(await gather(stack.use(await startServer(kind, 'plain', home)), SUBSCRIBERS))
  const ours = await audienceOf('fleet')
  const naive = await audienceOf('naive')
  const bun = hasBun ? await audienceOf('bun') : undefined
  for (const [at, offered] of OFFERED.entries()) {
    const others: ReadonlyArray<readonly [Other, Audience]> = [
      ...(at === 0 ? [['naive', naive] as const] : []),
      ...(bun ? [['bun', bun] as const] : []),
    ]
    const seen = await inTurn([ours, ...others.map(([, audience]) => audience)], offered)
    for (const [name] of others) {
      for (const share of ['p50', 'p99'] as const) {
        const of = (kind: Kind): number => median((seen.get(kind) ?? []).map((one) => one[share]))
        yield measure(`feed-${offered / 1000}k-${share}-${name}`, 'ms', of('fleet'), NAMES[name], of(name))
      }
    }
  }
}

interface Spread {
  readonly p50: number
  readonly p99: number
}

async function inTurn(
  audiences: readonly Audience[],
  offered: number,
): Promise<ReadonlyMap<Kind, readonly Spread[]>> {
  const seen = new Map<Kind, Spread[]>(audiences.map(({ server }) => [server.kind, []]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const audience of audiences) {
      const histogram = await offer(audience, offered, SECONDS)
      const spread = { p50: histogram.percentile(0.5), p99: histogram.percentile(0.99) }
      if (round > 0) seen.get(audience.server.kind)?.push(spread)
    }
  }
  return seen
}
