import { leafScopeOf, type LocalCertificates, localLeafFile } from '#/certificates/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import { buildFailure, type Publisher } from '#/web-server/failures.ts'
import { Unrenderable } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'

/** The web servers of embedded Nodes: programs that the process of the gateway runs, without root, units and port 443. */
export interface LocalWebServers extends LocalCertificates {
  /** What `caddy version` prints. */
  readonly version: string
  /** Suffix of names that the fleet keeps for itself. */
  readonly suffix: string
  /** File with the root of the fleet. */
  readonly root: string
  /** Where the sites of the Node at this loopback address listen on 127.0.0.1; undefined for any other Node. */
  portOf(address: string): number | undefined
  /** Serves this file from now on; the same bytes load nothing. Rejects with what the server said, and serves what it served. */
  load(address: string, text: string): Promise<'applied' | 'unchanged'>
}

/** Browsers know this address for every name below `localhost`. */
const LOOPBACK = '127.0.0.1'
/** In the folder in which the server runs: a path would be too long for a socket. */
const CONTROL = 'unix/control.sock'

/** The same file as on a machine, but for ports and folders. Undefined for a Node with a machine of its own. */
export async function buildLocal(
  local: LocalWebServers,
  node: NodeRecord,
  { sites, publisher }: { readonly sites: readonly Site[]; readonly publisher: Publisher },
): Promise<'applied' | 'unchanged' | undefined> {
  const address = node.wireguard_ip ?? ''
  const [port, folder] = [local.portOf(address), local.certificatesOf(address)]
  const version = caddyVersionOf(local.version)
  if (port === undefined || folder === undefined || !version) return undefined
  try {
    const settings = { features: featuresOf(version), root: local.root, control: CONTROL }
    const text = renderCaddyfile(
      sites.map((site) => moved(site, port, folder)),
      settings,
    )
    return await local.load(address, text)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const stage = error instanceof Unrenderable ? 'render' : 'reload'
    throw buildFailure({ node, publisher, stage, message: error.message })
  }
}

const moved = (site: Site, port: number, folder: string): Site => ({
  ...site,
  listener: { kind: 'tcp', addresses: [LOOPBACK], port },
  tls:
    site.tls.kind === 'leaf'
      ? { kind: 'leaf', file: localLeafFile(folder, leafScopeOf(site.tls.file)) }
      : site.tls,
})
