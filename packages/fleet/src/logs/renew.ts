import { fail, LOG_LEASE_SECONDS } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { maskOf } from '#/logs/mask-of.ts'
import type { OpenDeps } from '#/logs/open.ts'
import { openerOf } from '#/logs/opener.ts'
import type { LogOwner } from '#/logs/stream.ts'
import { type LogTarget, ofInstance, ofProcess, requireTarget } from '#/logs/targets.ts'

export const makeInstanceLogRenew =
  (deps: OpenDeps): Handler<'instance:log-stream:renew'> =>
  ({ call, input, found }) =>
    renew(
      deps,
      call,
      { type: 'instance', id: input.instance },
      input.stream,
      found && ofInstance(found.instance),
    )

export const makeProcessLogRenew =
  (deps: OpenDeps): Handler<'process:log-stream:renew'> =>
  ({ call, input, found }) =>
    renew(deps, call, { type: 'process', id: input.process }, input.stream, found && ofProcess(found.process))

/** The first one starts the stream (LOGS-003, LOGS-006). Throws `logs.stream_not_found`. */
async function renew(
  { streams, ...deps }: OpenDeps,
  call: Call,
  owner: LogOwner,
  id: string,
  found: LogTarget | undefined,
) {
  const claim = { id, owner, openerId: openerOf(call) }
  if (!streams.find(claim)) throw fail('logs.stream_not_found')
  const mask = await maskOf(deps, await requireTarget(deps, owner, found))
  // It may have ended while the values were read.
  const stream = streams.find(claim)
  if (!stream) throw fail('logs.stream_not_found')
  streams.renew(stream, mask)
  return { data: { id, lease_seconds: LOG_LEASE_SECONDS } as const }
}
