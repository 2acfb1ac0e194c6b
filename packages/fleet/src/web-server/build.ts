import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { holding, lockOf } from '#/locks/api.ts'
import type { Certificates } from '#/certificates/api.ts'
import type { Network } from '#/network/api.ts'
import { ensureService, type ServiceDeps } from '#/managed-services/api.ts'
import { identityOf, type NodeRecord, type NodeSession, type RoleHolders } from '#/nodes/api.ts'
import { buildFailure, buildReport, type Publisher } from '#/web-server/failures.ts'
import { buildLocal, type LocalWebServers } from '#/web-server/local.ts'
import type { SiteSource } from '#/web-server/ports.ts'
import {
  CaddyMissing,
  caddyService,
  leavesOf,
  LeavesMissing,
  waitingLeaves,
} from '#/web-server/service/caddy.ts'
import type { Site } from '#/web-server/site.ts'

export interface WebServerDeps extends ServiceDeps {
  readonly store: Store
  readonly holders: Pick<RoleHolders, 'of'>
  /** Without a private network the machines of the Nodes are somebody's own: nothing is written there. */
  readonly network: Pick<Network, 'settings'>
  readonly sources: readonly SiteSource[]
  readonly certificates: Pick<Certificates, 'confirmLoaded' | 'loadWaiting'>
  /** Directory of the ACME server of public certificates; what Caddy uses by itself when absent. */
  readonly acmeDirectory?: string | undefined
  readonly local?: LocalWebServers | undefined
}

export interface BuildOptions {
  readonly publisher: Publisher
  /** Writes and loads the file again, whatever is there. */
  readonly force: boolean
  /** Told the path where a file of somebody else was kept that the build replaced. */
  readonly onKept?: ((path: string) => void) | undefined
}

/** The sites are read under the lock, so that a build that waited publishes what is newest (RTX-073). Certificates that wait to be
 * loaded are loaded by it, also where the file is the same (decision 0345). */
export const buildNode = (
  deps: WebServerDeps,
  session: NodeSession,
  { publisher, force, onKept }: BuildOptions,
): Promise<'applied' | 'unchanged'> => {
  const { node, call } = session
  const { code: busy, details } = buildReport({ node, publisher, stage: 'lock', message: BUSY })
  return holding(deps.store, call, lockOf('webServer', node.id, { busy, details }), async () => {
    const sites = await sitesOf(deps, node)
    const built = deps.local && (await buildLocal(deps.local, node, { sites, publisher }))
    if (built) {
      const leaves = leavesOf(sites)
      if (built === 'applied') await deps.certificates.confirmLoaded(session, leaves)
      else await deps.certificates.loadWaiting(session, leaves)
      return built
    }
    if (!(await deps.network.settings())) {
      if (sites.length === 0) return 'unchanged'
      throw fail('node.capability_missing', { details: { node: identityOf(node), capability: 'web server' } })
    }
    try {
      const { acmeDirectory } = deps
      const ensure = (mayLackLeaves: boolean) =>
        ensureService(deps, session, caddyService({ node, sites, publisher, acmeDirectory, mayLackLeaves }), {
          force,
        })
      // One that is missing, of whichever site, would keep every change of a site from this Node.
      const { outcome, facts, applied } = await ensure(false).catch(async (error: unknown) => {
        if (!(error instanceof LeavesMissing)) throw error
        await publishLeaves(deps, session).catch(unlessUnpublished)
        return ensure(true)
      })
      if (applied?.has('kept_file')) onKept?.(applied.text('kept_file'))
      const waiting = waitingLeaves(facts, sites)
      if (waiting.length > 0) await deps.certificates.confirmLoaded(session, waiting)
      return outcome
    } catch (error) {
      if (error instanceof CaddyMissing && sites.length === 0) return 'unchanged'
      throw asBuildFailure(error, node, publisher)
    }
  })
}

export async function publishLeaves({ sources }: WebServerDeps, session: NodeSession): Promise<void> {
  for (const source of sources) await source.publishLeaves(session)
}

/** What Caddy says of the site is the answer then. Throws everything else. */
function unlessUnpublished(error: unknown): void {
  if (!(error instanceof CodedError) || !/^(ca|certificate)\./.test(error.code)) throw error
}

const BUSY = 'Another build of the web server of the Node has not ended.'

export async function sitesOf({ sources }: WebServerDeps, node: NodeRecord): Promise<readonly Site[]> {
  return (await Promise.all(sources.map((source) => source.sitesOn(node)))).flat()
}

/** A Node that cannot be reached is a stage of the build like the others. */
function asBuildFailure(error: unknown, node: NodeRecord, publisher: Publisher): unknown {
  if (error instanceof CaddyMissing)
    return buildFailure({ node, publisher, stage: 'release', message: 'Caddy is not installed on the Node.' })
  if (!(error instanceof CodedError) || !UNREACHED.has(error.code)) return error
  const { code: errorCode, message } = error
  return buildFailure({ node, publisher, stage: 'connect', message, errorCode })
}

const UNREACHED: ReadonlySet<string> = new Set([
  'node.unreachable',
  'node.authentication_failed',
  'node.ssh_host_key_changed',
  'node.ssh_host_key_missing',
])
