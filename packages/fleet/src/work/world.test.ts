import { fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { testDomains, testExecutor } from '@fleet/testing'
import * as z from 'zod'
import type { Caller } from '#/call.ts'
import type { AttemptDeps } from '#/work/attempt.ts'
import { type WorkKind, workKind } from '#/work/kinds.ts'

/** A Node that work may be for. */
export const CALLER: Caller = { id: 1, name: 'web-1', address: '10.0.0.5', isGateway: false }

/** What one gateway does work with. */
export function gatewayOf(store: Store, clock: Clock, gatewayId: string) {
  const closing = new AbortController()
  const published: string[] = []
  const { journal } = testDomains({ store, clock, gatewayId }).activities
  const executor = testExecutor({
    store,
    journal,
    clock,
    feed: { publish: async (events) => void published.push(...events.map(({ id }) => `${id}`)) },
    signal: closing.signal,
  })
  const deps: AttemptDeps & { readonly store: Store } = {
    store,
    executor,
    journal,
    clock,
    findCaller: async (id) => (id === CALLER.id ? CALLER : undefined),
    closing: closing.signal,
  }
  return { deps, closing, published }
}

/** Status and code of every Activity, in the order of their beginning. */
export const activitiesOf = async ({ db }: Store): Promise<readonly string[]> => {
  const rows = await db.selectFrom('activities').select(['status', 'error_code']).orderBy('id').execute()
  return rows.map(({ status, error_code }) => (error_code === null ? status : `${status} ${error_code}`))
}

/** A change whose record is written with its end, so that it would fail if it ended twice. */
export const counted: WorkKind = workKind({
  name: 'sample:count',
  payload: z.strictObject({ name: z.string() }),
  async run(call, { name }) {
    call.event('node.deleted', { id: 7, name })
    return async (db) => {
      await db.insertInto('facts').values({ name, value: 'counted' }).execute()
    }
  },
})

export const failing = (code: Parameters<typeof fail>[0], given: Partial<WorkKind> = {}): WorkKind =>
  workKind({
    name: 'sample:fail',
    payload: z.unknown(),
    run: () => Promise.reject(fail(code)),
    ...given,
  })
