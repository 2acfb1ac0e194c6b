import { CodedError } from '@fleet/kernel'
import type { Moment } from '@fleet/testing/death'
import fc from 'fast-check'
import type { Trouble } from './machines.ts'
import type { Request } from './requests.ts'
import type { Gateway, World } from './world.ts'

/** What goes wrong during a request, at which of its commands or writes. */
export const fault = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('none' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('unreachable' as const, 'lost' as const, 'full' as const, 'broken' as const),
    },
    { weight: 1, arbitrary: fc.constant('away' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('beforeWrite' as const, 'beforeCommand' as const, 'afterCommand' as const),
    },
  ),
  at: fc.integer({ min: 1, max: 12 }),
  /** Whether the failed request is repeated at once, or after everything else. */
  isRepeatedLater: fc.nat(3).map((of) => of === 0),
})
export type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never

/** `done`, `refused CODE`, `failed CODE` or `died`. */
export type Outcome = string

const momentOf = ({ kind, at }: Happening): Moment | undefined => {
  if (kind === 'beforeWrite') return { beforeWrite: at }
  if (kind === 'beforeCommand') return { beforeCommand: at }
  return kind === 'afterCommand' ? { afterCommand: at } : undefined
}

function troubleOf({ kind, at }: Happening, from: number): (number: number) => Trouble | undefined {
  if (kind === 'away') return (number) => (number >= from + at ? 'unreachable' : undefined)
  const trouble = (['unreachable', 'lost', 'full', 'broken'] as const).find((known) => known === kind)
  return (number) => (number === from + at ? trouble : undefined)
}

/** The fault alone; `isRepeatedLater` is for those who draw it. */
export type Happening = Pick<Fault, 'kind' | 'at'>

/** Makes the request of a gateway to which the fault happens; another one takes its place afterwards. */
export async function askUnder(world: World, request: Request, given?: Happening): Promise<Outcome> {
  const { machines, store } = world
  if (given) machines.trouble = troubleOf(given, machines.asked())
  try {
    const gateway = world.gateway(given && momentOf(given))
    return await outcomeOf(gateway, request)
  } finally {
    machines.trouble = () => undefined
    // A gateway that died leaves its locks; their leases end before anybody repeats the request.
    await store.db.deleteFrom('locks').execute()
  }
}

/** The identical request, until it is answered otherwise than with a failure; three times must do. */
export async function repeated(
  world: World,
  request: Request,
  tell: (line: string) => void = () => undefined,
): Promise<Outcome> {
  let outcome: Outcome = ''
  for (let times = 0; times < 3; times += 1) {
    outcome = await askUnder(world, request)
    tell(`  again ${shown(request)}: ${outcome}`)
    if (!outcome.startsWith('failed')) return outcome
  }
  return outcome
}

export const shown = (request: Request): string =>
  'tick' in request ? request.tick : `${request.operation} ${JSON.stringify(request.input)}`

async function outcomeOf(gateway: Gateway, request: Request): Promise<Outcome> {
  try {
    if ('tick' in request) {
      const failed = await gateway.work([request.tick])
      if (gateway.mortal.isDead()) return 'died'
      return failed.length === 0 ? 'done' : `failed ${failed.join(', ')}`
    }
    await gateway.ask(request.operation, request.input, request.from)
    await gateway.work()
    return gateway.mortal.isDead() ? 'died' : 'done'
  } catch (error) {
    // Whatever it said, nobody heard it.
    if (gateway.mortal.isDead()) return 'died'
    if (!(error instanceof CodedError)) throw error
    return `${error.status < 500 ? 'refused' : 'failed'} ${error.code}`
  }
}
