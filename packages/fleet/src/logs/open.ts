import {
  fail,
  LOG_LEASE_SECONDS,
  LOG_RENEW_SECONDS,
  logStreamChannel,
  type LogUnavailableReason,
} from '@fleet/contract'
import { channelAuth } from '@fleet/pusher'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { maskOf } from '#/logs/mask-of.ts'
import { openerOf } from '#/logs/opener.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import type { RealtimeServer } from '#/realtime/api.ts'
import type { ConnectedAgents } from '#/logs/connected-agents.ts'
import type { LogOwner } from '#/logs/stream.ts'
import type { LogStreams } from '#/logs/streams.ts'
import { type LogTarget, ofInstance, ofProcess, requireTarget } from '#/logs/targets.ts'

export interface OpenDeps extends LogsDeps {
  readonly streams: LogStreams
  readonly agents: ConnectedAgents
}

interface Wanted {
  readonly socket_id: string
  readonly lines: number
}

export const makeInstanceLogOpen =
  (deps: OpenDeps): Handler<'instance:log-stream:open'> =>
  ({ call, input, found }) =>
    open(deps, call, { type: 'instance', id: input.instance }, input, found && ofInstance(found.instance))

export const makeProcessLogOpen =
  (deps: OpenDeps): Handler<'process:log-stream:open'> =>
  ({ call, input, found }) =>
    open(deps, call, { type: 'process', id: input.process }, input, found && ofProcess(found.process))

/** Throws `logs.live_unavailable` with the first reason that holds, then `logs.stream_limit` (LOGS-025, LOGS-013). */
async function open(
  deps: OpenDeps,
  call: Call,
  owner: LogOwner,
  wanted: Wanted,
  found: LogTarget | undefined,
) {
  const target = await requireTarget(deps, owner, found)
  const server = await requireLive(deps, target)
  const mask = await maskOf(deps, target)
  const { id, wish } = deps.streams.open({
    owner,
    nodeId: target.nodeId,
    openerId: openerOf(call),
    lines: wanted.lines,
    source: target.source,
    mask,
  })
  const channel = logStreamChannel(id)
  return {
    data: {
      id,
      channel,
      auth: channelAuth(server.app, wanted.socket_id, channel),
      lines: wish.lines,
      lease_seconds: LOG_LEASE_SECONDS,
      renew_seconds: LOG_RENEW_SECONDS,
    } as const,
    created: true,
  }
}

async function requireLive(
  deps: OpenDeps,
  { environment, nodeId, isNodeActive }: LogTarget,
): Promise<RealtimeServer> {
  const { current } = await deps.realtime.servers()
  if (environment === 'production') throw unavailable('ssh_only')
  if (!current) throw unavailable('realtime_not_configured')
  if (deps.views.subscriber() !== 'up') throw unavailable('subscriber_down')
  if (!isNodeActive || deps.views.of(nodeId).presence !== 'online') throw unavailable('agent_unavailable')
  if (!deps.agents.has(nodeId)) throw unavailable('agent_not_joined')
  return current
}

const unavailable = (reason: LogUnavailableReason) => fail('logs.live_unavailable', { details: { reason } })
