import { fail, invalid } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { InstanceParts } from './parts.ts'
import { findInstance, presented } from './require.ts'
import { directoryChain } from './rules.ts'

/** Finds the Instance of the calling Node whose checkout is the directory or the nearest one above it. */
export const makeResolveDirectory =
  (parts: InstanceParts): Handler<'instance:resolve-directory'> =>
  async ({ call, input }) => {
    const chain = directoryChain(input.directory)
    if (!chain) throw invalid({ directory: ['must be an absolute path'] })
    const holding =
      call.caller && chain.length > 0 ? await parts.queries.findHolding(call.caller.id, chain) : undefined
    const found = holding && (await findInstance(parts, holding.id))
    if (!found) throw fail('instance.directory_not_found')
    call.note.subject('instance', found.row.id)
    return { data: await presented(parts, found.row, found) }
  }
