import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { openVariables } from '#/processes/containers/variables.ts'
import { findProcess } from '#/processes/find.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { findNamed } from '#/processes/queries.ts'
import type { ProcessOwner, ProcessRow } from '#/processes/record.ts'
import { compared, type ProcessRequest } from '#/processes/rules.ts'
import { FOREIGN, removeProcess } from '#/processes/steps/removal.ts'
import { isRepeat } from '#/repeats.ts'

/** What the Node refused of a request itself, before the Process came to be. */
const REFUSED: ReadonlySet<string | null> = new Set([
  'process.user_unavailable',
  'process.image_unavailable',
  // Rows of earlier versions.
  ...FOREIGN,
])

/**
 * Makes room for a corrected request: a Process of this name that the Node refused before it ever ran is removed (decision
 * 0278). The lock of the owner is held. Throws `process.runtime_lock_failed` and those of the removal.
 */
export async function replaceRefused(
  deps: ProcessesDeps,
  call: Call,
  owner: ProcessOwner,
  request: ProcessRequest,
): Promise<void> {
  const { store, nodes } = deps
  const known = await findNamed(store.db, owner.type, owner.id, request.name)
  if (!known || !isRefused(known)) return
  if (isRepeat(compared(known, openVariables(store.cipher, known), request))) return
  await holding(store, call, lockOf('process', known.id), async () => {
    const process = await findProcess(deps, known.id)
    if (!process || !isRefused(process)) return
    const session = nodes.sessions.overTunnel(call, process.node)
    await removeProcess({ deps, call, process, session })
  })
}

const isRefused = ({
  status,
  error_code,
  observed_status,
}: Pick<ProcessRow, 'status' | 'error_code' | 'observed_status'>): boolean =>
  status === 'failed' && observed_status === null && REFUSED.has(error_code)
