import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import { deleteServer, updateServer } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'

export interface ServerRemoval {
  readonly deps: { readonly store: Store; readonly containers: Containers }
  readonly call: Call
  /** Undefined for a Node that is skipped. */
  readonly session: NodeSession | undefined
  readonly server: ServerRecord
}

const container: Step<ServerRemoval> = {
  name: 'process',
  run: async ({ deps, call, session, server: { process_id } }) => {
    if (process_id !== null) await deps.containers.remove(call, process_id, session)
  },
}

const record: Step<ServerRemoval> = {
  name: 'record',
  run: ({ deps, server }) => deleteServer(deps.store.db, server.id),
}

/** Container, Process and record go; the volume stays (DBS-036). */
export const serverRemoval = stepList<ServerRemoval>('database-server-removal', [container, record], {
  forwardOnly: true,
})

export const removalLog = ({ deps, server }: ServerRemoval): StepLog =>
  columnsLog({
    on: { failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause) }) },
    write: (values: Parameters<typeof updateServer>[2]) => updateServer(deps.store.db, server.id, values),
  })
