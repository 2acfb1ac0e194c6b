import { fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type AddressSpace, freeAddresses, isUsable } from '#/network/addresses/choose.ts'
import { parseRange } from '#/network/addresses/range.ts'
import { addFact, dropFacts, findFacts, takenAddresses } from '#/network/queries.ts'
import { requireSettings } from '#/network/settings.ts'

export interface AllocateDeps {
  readonly store: Store
  readonly clock: Clock
  /** Parts of the range that no Node gets, such as that of task VMs. */
  readonly reservedRanges: readonly string[]
}

/** An address that was given counts as taken this long, by when its Node must be recorded. */
const PROMISE_SECONDS = 60
const PROMISED = 'promised.'

/** The wanted address, or the lowest free one; two requests at once never get the same (NODE-044). Throws `vpn.*` codes. */
export const makeAllocate =
  (deps: AllocateDeps) =>
  async (wanted: string | null): Promise<string> => {
    const space = await spaceOf(deps)
    return wanted === null ? choose(deps, space) : requireFree(deps.store, space, wanted)
  }

async function spaceOf({ store, reservedRanges }: AllocateDeps): Promise<AddressSpace> {
  const range = parseRange((await requireSettings(store)).range)
  if (!range) throw fail('vpn.configuration_invalid', { details: { setting: 'range' } })
  return { range, reserved: reservedRanges.flatMap((text) => parseRange(text) ?? []) }
}

/** Without a promise: an identical request must get it again, and the unique column decides between two others. */
async function requireFree({ db }: Store, space: AddressSpace, wanted: string): Promise<string> {
  if (!isUsable(space, wanted)) throw fail('vpn.address_invalid', { details: { wireguard_ip: wanted } })
  if ((await takenAddresses(db)).has(wanted))
    throw fail('vpn.address_taken', { details: { wireguard_ip: wanted } })
  return wanted
}

async function choose({ store, clock }: AllocateDeps, space: AddressSpace): Promise<string> {
  const now = clock.now()
  const promises = await findFacts(store.db, PROMISED)
  const over = [...promises].filter(([, until]) => until <= now.toISOString()).map(([address]) => address)
  await dropFacts(
    store.db,
    over.map((address) => `${PROMISED}${address}`),
  )
  const until = new Date(now.getTime() + PROMISE_SECONDS * 1000).toISOString()
  for (const address of freeAddresses(space, await takenAddresses(store.db)))
    if (await addFact(store.db, `${PROMISED}${address}`, until)) return address
  throw fail('vpn.range_exhausted')
}
