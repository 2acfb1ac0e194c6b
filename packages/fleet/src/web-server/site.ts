/**
 * A site of the web server of one Node as the records want it. The sites of a Node, and the version of its Caddy, are all
 * that its file follows from: the same sites give the same bytes (RTX-076).
 */
export interface Site {
  readonly source: SiteSource
  /** Names it beside its source, as its certificate is named: `app-instance-12`, `route-3-router` (RTX-078, RTX-098). */
  readonly scope: string
  /** Normalized: lower case, no trailing dot. */
  readonly domain: string
  readonly listener: SiteListener
  /** CIDR ranges; clients from elsewhere are cut off. Everyone when absent (RTX-084). */
  readonly admits?: readonly string[]
  /**
   * Addresses from which servers of the fleet lead visitors here: what they say of the client is believed, and nobody else (RTX-056). On a
   * socket of the Node everybody is.
   */
  readonly trusts?: readonly string[]
  readonly tls: SiteTls
  readonly handler: SiteHandler
  /** Its visitors wake what sleeps behind it. */
  readonly hibernation?: SiteHibernation
  /** Of a placement that is not current: it gives way to a current site at the same place (RTX-083). */
  readonly isTransitional?: boolean
}

/** Folder of a file `<instance>.awake` for each Instance that is awake: gone with the next start of the Node (HIB-011). */
export const AWAKE_MARKERS = '/dev/shm/fleet/hibernation'
/** Folder of the access logs of Instances that sleep, below that of the web server's own data. */
export const ACCESS_LOGS = '/var/lib/caddy/fleet-access'
export const accessLogOf = (instanceId: number): string => `${ACCESS_LOGS}/${instanceId}.log`

export interface SiteHibernation {
  readonly instanceId: number
  /** `gateway.fleet`: who wakes it. */
  readonly gateway: string
}

export const siteSources = ['app-dev', 'app-prod', 'custom-proxy', 'router', 'ingress'] as const
export type SiteSource = (typeof siteSources)[number]

/** Addresses with a port, 443 when absent; or the path of a socket for a Router of the same Node (RTX-048). */
export type SiteListener =
  | { readonly kind: 'tcp'; readonly addresses: readonly string[]; readonly port?: number }
  | { readonly kind: 'unix'; readonly path: string }

/** `leaf`: a file with key and certificate. `automatic`: a public certificate that the server itself obtains (RTX-055). */
export type SiteTls = { readonly kind: 'leaf'; readonly file: string } | { readonly kind: 'automatic' }

export type SiteHandler = FileSite | ProxySite | PoolSite | UnavailableSite

/** Files of a directory, and PHP through the socket of a pool (RTX-085). */
export interface FileSite {
  readonly kind: 'files'
  readonly root: string
  /** Path of the socket of its PHP pool; none without PHP. */
  readonly php?: string
  /** Its root is behind a link that moves to other releases: a request of PHP sees one of them alone. */
  readonly isSwitched?: boolean
  /** Build output below `/build/assets` never changes under its name (RTX-086). */
  readonly cachesBuilds: boolean
  /** Servers of development on the loopback of the Node, each below a reserved path (RTX-087). */
  readonly tools?: readonly ToolPath[]
}

export interface ToolPath {
  readonly path: string
  readonly port: number
  readonly keepsPrefix: boolean
}

/** Everything to a service on the loopback of the Node (RTE-161). */
export interface ProxySite {
  readonly kind: 'proxy'
  /** `http://127.0.0.1:3000`: without path, query and user. */
  readonly upstream: string
}

/** Requests in turn to servers of the same domain, verified by the root of the fleet (RTE-125 to RTE-131, RTX-089). */
export interface PoolSite {
  readonly kind: 'pool'
  readonly targets: readonly PoolTarget[]
  /** The one server that an ingress leads to, which is asked whatever failed before. */
  readonly isOnlyWay?: true
  /** `system`: certificates of public authorities too; only those of the fleet when absent (RTX-057). */
  readonly trust?: 'system'
}

/** Where a server of the pool listens. */
export type PoolTarget =
  | { readonly kind: 'tcp'; readonly address: string; readonly port?: number }
  | { readonly kind: 'unix'; readonly path: string }

/** A domain that is kept while nothing answers for it. */
export interface UnavailableSite {
  readonly kind: 'unavailable'
}
