import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, clientFrame, join, joinMany, leave, serverFrameBytes } from './client.ts'
import { BENCH_CHANNEL } from './app.ts'
import { cpuSeconds, type Server } from './server.ts'

const TEXT = JSON.stringify({ event: 'client-x', channel: BENCH_CHANNEL, data: 'x'.repeat(200) })
const FRAME = clientFrame(TEXT)
const FRAME_BYTES = serverFrameBytes(TEXT.length)

/** One channel with its subscribers and a publisher beside them. */
export interface Audience extends Disposable {
  readonly server: Server
  readonly subscribers: readonly Client[]
  readonly publisher: Client
}

export async function gather(server: Server, count: number): Promise<Audience> {
  const publisher = await join(server, { publishes: true })
  const subscribers = await joinMany(count, () => join(server))
  // What the members are reported each other, if anything, has arrived by then.
  await sleep(200)
  return { server, subscribers, publisher, [Symbol.dispose]: () => leave([publisher, ...subscribers]) }
}

export interface Rate {
  readonly perSecond: number
  /** Deliveries for each second of a core that the server used: what other work of the machine does not change. */
  readonly perCpuSecond: number
}

/** Publishes as soon as an earlier event has reached everybody, so many at once, for some seconds. */
export async function saturate(audience: Audience, inFlight: number, seconds: number): Promise<Rate> {
  const { server, subscribers, publisher } = audience
  const perEvent = FRAME_BYTES * subscribers.length
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let [bytes, sent, isEnding] = [0, 0, false]
  const onBytes = (count: number): void => {
    bytes += count
    const delivered = Math.floor(bytes / perEvent)
    if (isEnding) return delivered >= sent ? resolve() : undefined
    const free = inFlight - (sent - delivered)
    if (free > 0) publish(free)
  }
  const publish = (count: number): void => {
    sent += count
    publisher.socket.write(count === 1 ? FRAME : Buffer.concat(Array.from({ length: count }, () => FRAME)))
  }
  for (const subscriber of subscribers) subscriber.onBytes = onBytes
  const [start, cpu] = [performance.now(), cpuSeconds(server.pid)]
  publish(inFlight)
  await sleep(seconds * 1000)
  isEnding = true
  await over
  const deliveries = sent * subscribers.length
  return {
    perSecond: deliveries / ((performance.now() - start) / 1000),
    perCpuSecond: deliveries / (cpuSeconds(server.pid) - cpu),
  }
}

/** Publishes at a rate that does not wait for anybody, and answers the milliseconds of each delivery as a histogram. */
export async function offer(
  audience: Audience,
  deliveriesPerSecond: number,
  seconds: number,
): Promise<Histogram> {
  const { subscribers, publisher } = audience
  const interval = (1000 * subscribers.length) / deliveriesPerSecond
  const total = Math.floor((seconds * 1000) / interval)
  const sentAt: number[] = []
  const histogram = new Histogram()
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let left = total * subscribers.length
  for (const subscriber of subscribers) {
    let [bytes, seen] = [0, 0]
    subscriber.onBytes = (count) => {
      bytes += count
      const now = performance.now()
      for (const whole = Math.floor(bytes / FRAME_BYTES); seen < whole; seen += 1) {
        histogram.add(now - (sentAt[seen] ?? now))
        left -= 1
      }
      if (left === 0) resolve()
    }
  }
  const start = performance.now()
  while (sentAt.length < total) {
    const due = Math.min(total, Math.floor((performance.now() - start) / interval) + 1)
    for (; sentAt.length < due; publisher.socket.write(FRAME)) sentAt.push(performance.now())
    await sleep(1)
  }
  await Promise.race([over, sleep(20_000)])
  if (left > 0) throw new Error(`${left} deliveries are missing`)
  return histogram
}

/** Tenths of a millisecond. */
export class Histogram {
  readonly #counts = new Uint32Array(200_000)
  #total = 0

  add(milliseconds: number): void {
    const at = Math.min(this.#counts.length - 1, Math.max(0, Math.floor(milliseconds * 10)))
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#total += 1
  }

  percentile(share: number): number {
    let left = Math.ceil(this.#total * share)
    for (const [at, count] of this.#counts.entries()) {
      left -= count
      if (left <= 0) return (at + 1) / 10
    }
    return Number.NaN
  }
}
