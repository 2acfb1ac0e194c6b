import { invalid } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from './deps.ts'
import { onlyOne } from './resolve.ts'
import { directoryChain } from './rules.ts'

/** Finds the one Instance of the calling Node whose checkout or production home contains a directory (DEX-011). */
export const makeResolveDirectory =
  (deps: InstanceDeps): Handler<'instance:resolve-directory'> =>
  async ({ call, input }) => {
    const chain = directoryChain(input.directory)
    if (!chain) throw invalid({ directory: ['must be an absolute path without ..'] })
    const rows =
      call.caller && chain.length > 0 ? await deps.queries.findContaining(call.caller.id, chain) : []
    return { data: onlyOne(call, rows) }
  }
