import { CodedError } from '@fleet/kernel'
import { featuresOf, SUPPORTED } from '#/web-server/caddyfile/version.ts'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { sha256 } from '#/managed-services/api.ts'
import type { ArtifactResult } from '#/nodes/api.ts'
import { buildNode, publishLeaves, sitesOf, type WebServerDeps } from '#/web-server/build.ts'
import { makeWebServerChecks } from '#/web-server/checks/make.ts'
import { type BuildStage, failureCodes } from '#/web-server/failures.ts'
import { ROOT_FILE } from '#/web-server/service/caddy.ts'
import { Unrenderable } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'
import type { WebServer } from '#/web-server/web-server.ts'

export type { WebServerDeps } from '#/web-server/build.ts'

export const makeWebServer = (deps: WebServerDeps): WebServer => ({
  build: (session, publisher, onKept) => buildNode(deps, session, { publisher, force: false, onKept }),
  artifact: {
    name: 'caddy',
    digest: async (node) => {
      const sites = await sitesOf(deps, node)
      // A custom proxy may be on a Node of any role.
      if (sites.length === 0 && !node.activeRoles.some((role) => SERVING.has(role))) return undefined
      return sha256(renderedOrReason(sites, deps.acmeDirectory))
    },
    converge: async (session, { force }) => {
      await publishLeaves(deps, session)
      try {
        // One load takes the file and every new certificate.
        return await buildNode(deps, session, { publisher: 'app-dev', force })
      } catch (error) {
        return refusedIn(error)
      }
    },
  },
  checks: makeWebServerChecks(deps),
})

/** Stages at which a configuration is refused, and the Node left as it was; at any other a repeat may succeed. */
const REFUSING: readonly unknown[] = ['render', 'validate'] satisfies readonly BuildStage[]

/** A configuration that cannot be loaded keeps the rest of the Node from nothing (NODE-122). Throws everything else. */
function refusedIn(error: unknown): ArtifactResult {
  if (!(error instanceof CodedError) || error.code !== failureCodes['app-dev']) throw error
  const { stage, message } = error.details ?? {}
  if (!REFUSING.includes(stage)) throw error
  return { skipped: failureCodes['app-dev'], message: String(message) }
}

/** Sites that are no file have a digest too: `converge` is what refuses them, with code and stage. */
function renderedOrReason(sites: readonly Site[], acmeDirectory: string | undefined): string {
  try {
    return renderCaddyfile(sites, { features: featuresOf(SUPPORTED), root: ROOT_FILE, acmeDirectory })
  } catch (error) {
    if (error instanceof Unrenderable) return error.message
    throw error
  }
}

/** Roles whose Nodes serve sites. */
const SERVING: ReadonlySet<string> = new Set(['app-dev', 'app-prod', 'router', 'ingress'])
