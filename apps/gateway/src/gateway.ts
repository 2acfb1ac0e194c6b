import type { HibernationSettings, LocalWebServers, NodeRegistry, RealtimeDomain } from '@fleet/fleet'
import type { InstalledRelease } from './release/installed-release.ts'

/** Where and how one gateway process runs. Every path it writes lies below `home`. */
export interface GatewayOptions {
  /** All durable state: database, application key, CA, SSH key. Made when missing. */
  readonly home: string
  readonly listen: ReadonlyArray<{ readonly address: string; readonly port: number }>
  /** `postgres://…`; SQLite at `<home>/gateway.sqlite` when absent. */
  readonly databaseUrl?: string | undefined
  /** APP_KEY; the file `<home>/app.key` when absent. */
  readonly appKey?: string | undefined
  /** DNS names of the HTTPS certificate besides the listen addresses. Requests under another host are refused. */
  readonly names: readonly string[]
  /** Hosts of requests that a proxy with a certificate of its own passes on. */
  readonly proxyNames?: readonly string[] | undefined
  /** Name that `gateway:status` shows. */
  readonly name: string
  readonly version: string
  /** Whose executable Nodes get; a gateway that runs from a checkout has none. */
  readonly release?: InstalledRelease | undefined
  /** Port of the `websocket` role on its Node (GW-060); 8790 when absent. */
  readonly websocketPort?: number | undefined
  /** Hosts of pages that may connect there, besides `names`; `*.` matches every name below. */
  readonly websocketOrigins?: readonly string[] | undefined
  /** Directory of the ACME server of public certificates. */
  readonly acmeDirectory?: string | undefined
  /** What serves the sites of Nodes that are folders of this machine; their Routes are refused without it. */
  readonly local?: LocalWebServers | undefined
  /** When Instances sleep, and how long they may take to wake; the defaults when absent. */
  readonly hibernation?: HibernationSettings | undefined
  readonly log: 'json' | 'pretty' | 'silent'
  /** Where the log goes; standard error when absent. */
  readonly logFile?: string | undefined
  /** Added to the environment of `git ls-remote`, such as GIT_SSL_CAINFO. */
  readonly gitEnvironment?: Readonly<Record<string, string>> | undefined
}

/** Key and certificate of a server, in PEM. */
export interface ServiceLeaf {
  readonly certificate: string
  readonly key: string
}

export interface RunningGateway {
  /** `https://address:port` for each listener, in order, with the port really bound. */
  readonly urls: readonly string[]
  /** PEM file of the fleet's root certificate. */
  readonly caFile: string
  /**
   * Issues a server certificate of the fleet CA for another service of this machine. `renewed` gets the one that is good at that
   * hour, every hour until the gateway stops: a service that runs on serves it from then on.
   */
  leaf(
    names: readonly string[],
    addresses: readonly string[],
    directory: string,
    renewed: (leaf: ServiceLeaf) => void,
  ): Promise<ServiceLeaf>
  /** One line for `authorized_keys` of the managed user on every Node. */
  readonly sshPublicKey: string
  /** Enters Nodes into the store; idempotent by name. */
  readonly registry: NodeRegistry
  /** Enters where the WebSocket server of a Node with the role `websocket` is, and answers its credentials. */
  placeRealtime: RealtimeDomain['place']
  /** Stops accepting work, waits for work in progress (60 s, or as given), closes everything. Idempotent. */
  stop(drainSeconds?: number): Promise<void>
}
