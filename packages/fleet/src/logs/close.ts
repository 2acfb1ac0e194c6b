import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { openerOf } from '#/logs/opener.ts'
import type { LogOwner } from '#/logs/stream.ts'
import type { LogStreams } from '#/logs/streams.ts'

export const makeInstanceLogClose =
  (streams: LogStreams): Handler<'instance:log-stream:close'> =>
  async ({ call, input }) =>
    close(streams, call, { type: 'instance', id: input.instance }, input.stream)

export const makeProcessLogClose =
  (streams: LogStreams): Handler<'process:log-stream:close'> =>
  async ({ call, input }) =>
    close(streams, call, { type: 'process', id: input.process }, input.stream)

/** Throws `logs.stream_not_found`, also for a stream that was closed before. */
function close(streams: LogStreams, call: Call, owner: LogOwner, id: string) {
  const stream = streams.find({ id, owner, openerId: openerOf(call) })
  if (!stream) throw fail('logs.stream_not_found')
  streams.end(stream, 'closed')
  return { data: { id, closed: true } as const }
}
