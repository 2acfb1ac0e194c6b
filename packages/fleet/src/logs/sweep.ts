import type { LogsDeps } from '#/logs/deps.ts'
import type { LogStream } from '#/logs/stream.ts'
import type { LogStreams } from '#/logs/streams.ts'
import { findTarget } from '#/logs/targets.ts'

/** Ends streams whose lease is over, whose opener lost its grant, or whose record has gone (LOGS-021). */
export async function sweep(deps: LogsDeps, streams: LogStreams): Promise<void> {
  streams.expire()
  for (const stream of streams.all()) {
    if (!(await mayFollow(deps, stream))) streams.end(stream, 'revoked')
    else if (!(await isThere(deps, stream))) streams.end(stream, 'source_unavailable')
  }
}

async function mayFollow({ nodes }: LogsDeps, { wish }: LogStream): Promise<boolean> {
  const opener = await nodes.find(wish.openerId)
  return opener?.status === 'active' && nodes.mayActOn(wish.openerId, wish.nodeId)
}

/** The record may have been removed, or moved to another Node; the agent of one that is not active reads no list. */
async function isThere(deps: LogsDeps, { wish }: LogStream): Promise<boolean> {
  const target = await findTarget(deps, wish.owner)
  return target?.nodeId === wish.nodeId && target.isNodeActive
}
