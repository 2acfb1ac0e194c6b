import type { HandlersOf } from '#/handler.ts'
import { siteKind } from '#/hibernation/follow-sites.ts'
import { haltKind } from '#/hibernation/halt.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { pruneKind } from '#/hibernation/prune.ts'
import { sweepKind } from '#/hibernation/sweep.ts'
import { longestSeconds, wakeKinds } from '#/hibernation/wake-kind.ts'
import { makeWake } from '#/hibernation/wake.ts'
import { Wakes } from '#/hibernation/wakes.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { markersOf } from '#/processes/api.ts'
import type { WebServer } from '#/web-server/api.ts'
import type { WorkKind } from '#/work/api.ts'

export interface HibernationDomain {
  readonly handlers: HandlersOf<'instance:wake'>
  readonly workKinds: readonly WorkKind[]
  /** Whether the dependencies of a sleeping Instance were removed. */
  isCold(session: NodeSession, instanceId: number): Promise<boolean>
}

/** Development Instances that nobody visits sleep, and their next visitor wakes them. */
export function makeHibernation(
  deps: HibernationDeps & { readonly webServer: Pick<WebServer, 'build'> },
): HibernationDomain {
  const wakes = new Wakes(deps.clock, longestSeconds(deps))
  return {
    isCold: async (session, instanceId) =>
      (await markersOf(session, { root: deps.root, instanceId }))?.isCold ?? false,
    handlers: { 'instance:wake': makeWake(deps, wakes) },
    workKinds: [
      sweepKind(deps),
      haltKind(deps),
      pruneKind(deps),
      ...wakeKinds(deps, wakes),
      siteKind(deps, deps.webServer),
    ],
  }
}
