import assert from 'node:assert/strict'
import { sampled, sampleShare } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { reaches, tunnelAddress } from './facts.ts'
import { type Fault, FAULTS } from './faults.ts'
import { killGateway, requireBack, struckWhen } from './gateway-deaths.ts'
import { assertLeavesServed, assertPromisesKept, becomes, type RouteWorld, shapeOf } from './route-shape.ts'
import { WEB_SERVER_FAULTS } from './web-server-faults.ts'

type Words = readonly [string, ...string[]]

/** A request that changes Routes. */
export interface Change {
  readonly name: string
  /** As the records are when it is sent: by ids, which stay what they are until it is over. */
  readonly words: () => Promise<Words>
  /** Hosts of which each step asks something, in their order; steps that are not named have to do with records. */
  readonly asks: Readonly<Record<string, readonly string[]>>
  /** Those of the steps that build the file of a web server. */
  readonly builds: readonly string[]
  /** What goes on after the request is over: the lines of `shapeOf` once nobody is led any more to what is left. */
  readonly isSettled?: (shape: readonly string[]) => boolean
  /** It passes over a Node that does not answer, which is clean once it is back and converges (RTE-057). */
  readonly leavesNodes?: true
}

/** A change, and the one that takes it back. */
export type Pair = readonly [there: Change, back: Change]

/** A fault that begins with a step. */
interface Cell {
  /** So many steps are over by then. */
  readonly at: number
  readonly step: string
  readonly on: string
  readonly fault: Fault
}

interface Leg {
  readonly change: Change
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly cells: Cell[]
}

/** What a run tries that is not whole. */
type Sampled =
  | {
      /** The distance between two cells. */
      readonly share: number
      /** Which ones: the pairs begin at different ones. */
      readonly offset: number
    }
  /** These alone, as `step: host is fault`: where most steps have to do with records, a distance rarely meets one that asks a host. */
  | { readonly cells: readonly string[] }

/** A test may take so many cells: a whole run has more of them. */
const CELLS = 6
/** A whole run has so many parts; the last ones may be empty. */
const PARTS = 20
/** The one test of a run that decides, and those of a whole run. */
export const parts: readonly number[] = Array.from({ length: PARTS / sampleShare(PARTS) }, (_, at) => at + 1)

/** Names that lead elsewhere are answered from memory for half a minute, once more where it is not known who got which. */
const SETTLING_SECONDS = 120

const KILLED: Fault = {
  name: 'killed',
  inject: async (host) => void (await killGateway(host)),
  clearFaults: requireBack,
}
const ENDED = /^(\S+): (?:done|skipped)/gm

const endedIn = (told: string): readonly string[] => [...told.matchAll(ENDED)].map(([, name = '']) => name)

/**
 * Makes a change there and back, and has faults at steps of both. The request that fails leaves everything as it was before, or
 * the identical one leaves everything as an undisturbed one does; meanwhile no name leads to what is not served.
 */
export class Sweep {
  readonly #pair: (world: RouteWorld) => Pair
  readonly #sampled: Sampled
  #legs: readonly Leg[] | undefined
  #at = 0
  #met = 0

  constructor(pair: (world: RouteWorld) => Pair, sampled: Sampled) {
    this.#pair = pair
    this.#sampled = sampled
  }

  /** Tries the next cells, all that are sampled in a run that decides. */
  async part(world: RouteWorld, tell: (line: string) => void): Promise<void> {
    const report = (line: string): void => {
      tell(line)
      // The runner hears of a test at its end alone, and ends a process that says nothing for as long as many cells take.
      console.log(line)
    }
    const legs = (this.#legs ??= await this.#begun(world, report))
    const failures: string[] = []
    for (let count = 0; legs.some(({ cells }) => cells.length > 0); count += 1) {
      if (count === CELLS && parts.length > 1) return assert.deepEqual(failures, [])
      const leg = legs[this.#at] ?? assert.fail('a pair has two legs')
      await this.#next(world, leg, { failures, report })
    }
    assert.deepEqual(failures, [])
    assert.ok(this.#met > 0, 'no fault met anything')
  }

  async #begun(world: RouteWorld, report: (line: string) => void): Promise<readonly Leg[]> {
    const legs = await undisturbed(world, this.#pair(world))
    report(
      `undisturbed: ${legs.map(({ change, cells }) => `${change.name} has ${cells.length} cells`).join(', ')}`,
    )
    if ('cells' in this.#sampled) {
      const titles = legs.flatMap(({ cells }) => cells.map(titleOf))
      const unknown = this.#sampled.cells.filter((title) => !titles.includes(title))
      assert.deepEqual(unknown, [], `the cells are ${titles.join(', ')}`)
    }
    return legs.map((leg) => ({ ...leg, cells: chosen(leg.cells, this.#sampled) }))
  }

  async #next(
    world: RouteWorld,
    leg: Leg,
    { failures, report }: { readonly failures: string[]; readonly report: (line: string) => void },
  ): Promise<void> {
    const cell = leg.cells.shift()
    const title = cell ? `${leg.change.name}, ${titleOf(cell)}` : leg.change.name
    try {
      const ending = cell ? await struck(world, leg, cell) : await plain(world, leg)
      report(`${title}: ${ending.told}`)
      if (ending.hasFailed) this.#met += 1
      if (ending.isAfter) this.#at = 1 - this.#at
    } catch (error) {
      const said = `${title}\n${error instanceof Error ? error.message : String(error)}`
      failures.push(said)
      report(`WRONG ${said}`)
      // The cells that follow are tried all the same where it can be finished.
      await plain(world, leg).catch((again: unknown) =>
        assert.fail(`${failures.join('\n')}\nand then ${String(again)}`),
      )
      this.#at = 1 - this.#at
    }
  }
}

const titleOf = ({ step, on, fault }: Cell): string => `${step}: ${on} is ${fault.name}`

/** A step that comes more than once in a request is struck the first time. */
function chosen(cells: readonly Cell[], sample: Sampled): Cell[] {
  if ('share' in sample) return [...sampled(cells, sample.share, sample.offset)]
  if (sampleShare(PARTS) === 1) return [...cells]
  const titles = cells.map(titleOf)
  return cells.filter((cell, at) => {
    const title = titleOf(cell)
    return sample.cells.includes(title) && titles.indexOf(title) === at
  })
}

/** What each request leaves by itself, and the cells of its steps. */
async function undisturbed(world: RouteWorld, [there, back]: Pair): Promise<readonly Leg[]> {
  const before = await shapeOf(world)
  const stepsThere = await stepsOf(world, there)
  const after = await settled(world, there)
  await assertLeavesServed(world)
  const stepsBack = await stepsOf(world, back)
  assert.equal(
    await becomes(world, before, SETTLING_SECONDS),
    undefined,
    `${back.name} leaves what was there before`,
  )
  await assertLeavesServed(world)
  return [
    { change: there, before, after, cells: [...cellsOf(there, stepsThere)] },
    { change: back, before: after, after: before, cells: [...cellsOf(back, stepsBack)] },
  ]
}

async function settled(
  world: RouteWorld,
  { name, isSettled = () => true }: Change,
): Promise<readonly string[]> {
  let shape: readonly string[] = []
  const isOver = async (): Promise<true | undefined> => {
    shape = await shapeOf(world)
    return isSettled(shape) ? true : undefined
  }
  assert.equal(await waitFor(SETTLING_SECONDS, isOver), true, `${name} is not over:\n${shape.join('\n')}`)
  return shape
}

async function stepsOf({ fleet }: RouteWorld, change: Change): Promise<readonly string[]> {
  const { status, stderr } = await fleet.gateway.fleet(await change.words())
  assert.equal(status, 0, `${change.name}: ${stderr}`)
  const steps = endedIn(stderr)
  const unknown = Object.keys(change.asks).filter((step) => !steps.includes(step))
  assert.deepEqual(unknown, [], `${change.name} has the steps ${steps.join(', ')}`)
  return steps
}

/** From its first step that asks a host: each host loses what it can lose there, and the gateway dies as soon as the step is over. */
function cellsOf({ asks, builds }: Change, steps: readonly string[]): readonly Cell[] {
  const first = steps.findIndex((step) => step in asks)
  return steps.flatMap((step, at) => {
    if (at < first) return []
    const faults = [...FAULTS, ...(builds.includes(step) ? WEB_SERVER_FAULTS : [])]
    const ofHosts = (asks[step] ?? []).flatMap((on) =>
      faults
        .filter((fault) => on !== 'gateway' || FAULTS.includes(fault))
        .map((fault) => ({ at, step, on, fault })),
    )
    return [{ at: at + 1, step, on: 'gateway', fault: KILLED }, ...ofHosts]
  })
}

interface Ending {
  readonly told: string
  readonly hasFailed: boolean
  /** Everything is as after the change, and not as before. */
  readonly isAfter: boolean
}

async function struck(world: RouteWorld, leg: Leg, { at, on, fault }: Cell): Promise<Ending> {
  const gateway = world.fleet.gateway.host
  const host = world.hosts.get(on) ?? assert.fail(`there is no host ${on}`)
  const words = await leg.change.words()
  const isNow = (reported: string): boolean => endedIn(reported).length >= at
  const { status, told } = await struckWhen(gateway, words, isNow, () => strike(gateway, host, fault))
  await fault.clearFaults(host)
  await back(world, host)
  if (leg.change.leavesNodes && host !== gateway) await world.fleet.record('node:converge', host.name)
  await assertPromisesKept(world)
  const hasFailed = status !== 0
  const said = hasFailed ? (/^[a-z_-]+\.[a-z_]+(?= )/m.exec(told)?.[0] ?? 'died') : 'done'
  if (hasFailed && (await becomes(world, leg.before, 3)) === undefined)
    return { told: `${said}, as before`, hasFailed, isAfter: false }
  if (hasFailed) await repeat(world, leg, words)
  await assertAfter(world, leg)
  return { told: hasFailed ? `${said}, finished by the repeat` : said, hasFailed, isAfter: true }
}

/** The gateway waits meanwhile, so that the step has not gone on when the fault is there. */
async function strike(gateway: Host, host: Host, fault: Fault): Promise<void> {
  if (host === gateway) return fault.inject(host)
  await gateway.pause()
  try {
    await fault.inject(host)
  } finally {
    await gateway.resume()
  }
}

/** Waits until the gateway answers, and reaches a Node that was away. */
async function back({ fleet }: RouteWorld, host: Host): Promise<void> {
  await fleet.gateway.ready()
  if (host === fleet.gateway.host) return
  const address = await tunnelAddress(fleet, host.name)
  const isReached = async (): Promise<true | undefined> =>
    (await reaches(fleet.gateway.host, address, 22)) ? true : undefined
  assert.equal(await waitFor(60, isReached), true, `${host.name} does not come back`)
}

const PASSING = /_busy |node\.unreachable |node\.connection_lost /

/** The identical request; whoever finds something busy, or a Node that has just come back, repeats once more. */
async function repeat(world: RouteWorld, leg: Leg, words: Words): Promise<void> {
  if ((await becomes(world, leg.after, 0)) === undefined) return
  const isDone = async (): Promise<true | undefined> => {
    const { status, stderr } = await world.fleet.gateway.fleet(words)
    if (status === 0) return true
    assert.match(stderr, PASSING, `${words.join(' ')} again: ${stderr}`)
    return undefined
  }
  assert.equal(await waitFor(60, isDone), true, `${words.join(' ')} does not come to its end`)
}

async function plain(world: RouteWorld, leg: Leg): Promise<Ending> {
  await repeat(world, leg, await leg.change.words())
  await assertAfter(world, leg)
  return { told: 'done', hasFailed: false, isAfter: true }
}

async function assertAfter(world: RouteWorld, leg: Leg): Promise<void> {
  assert.deepEqual(await becomes(world, leg.after, SETTLING_SECONDS), undefined)
  await assertLeavesServed(world)
}
