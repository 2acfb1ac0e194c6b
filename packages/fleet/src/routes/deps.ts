import type { ApplicationUrls, ProductionFiles } from '#/routes/application-urls.ts'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Certificates } from '#/certificates/api.ts'
import type { Clusters } from '#/clusters/api.ts'
import type { NodeFirewall } from '#/firewall/api.ts'
import type { PrivatePaths } from '#/routes/edge/hops.ts'
import type { PrivateDns } from '#/dns/api.ts'
import type { Php } from '#/php/api.ts'
import type { SourceAccess } from '#/source-access/api.ts'
import type { Instances } from '#/instances/api.ts'
import type { Network } from '#/network/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { ProcessesDomain } from '#/processes/api.ts'
import type { WebServer } from '#/web-server/api.ts'

export interface RoutesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  readonly clusters: Pick<Clusters, 'find' | 'scopeOf' | 'routerOf'>
  readonly instances: Pick<Instances, 'find' | 'withOperationLock' | 'remove'>
  readonly php: Pick<Php, 'versionFor' | 'versionThere' | 'requireServable' | 'publish' | 'converge'> & {
    readonly production: Pick<Php['production'], 'converge' | 'convergeFound'>
  }
  readonly sourceAccess: SourceAccess
  readonly applicationUrls: ApplicationUrls
  readonly productionFiles: ProductionFiles
  readonly network: Pick<Network, 'settings'>
  readonly processes: Pick<ProcessesDomain['processes'], 'find' | 'listenersOf'>
  readonly certificates: Pick<
    Certificates,
    'publishLeaf' | 'publishLeaves' | 'withdrawLeaf' | 'isLeafDue' | 'inspectServed'
  >
  readonly webServer: Pick<WebServer, 'build'>
  readonly firewall: Pick<NodeFirewall, 'applyRole'>
  readonly paths: PrivatePaths
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
  readonly names: Pick<PrivateDns, 'publish' | 'confirm' | 'idle'>
}
