import * as z from 'zod'
import type { NodeUpdates } from '#/nodes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const SWEEP_SECONDS = 60

/** Once a minute in one gateway of the fleet. */
export const staleUpdatesKind = (updates: Pick<NodeUpdates, 'endStale'>): WorkKind =>
  workKind({
    name: 'node:end-stale-updates',
    payload: z.null(),
    everySeconds: SWEEP_SECONDS,
    unrecorded: 'tick',
    run: (call) => updates.endStale(call),
  })
