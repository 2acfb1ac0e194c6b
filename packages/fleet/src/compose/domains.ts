import type { ActivitiesDomain } from '#/activities/api.ts'
import type { AgentGateway, AgentsDomain } from '#/agents/api.ts'
import type { Certificates } from '#/certificates/api.ts'
import type { ClusterRoutes, ClustersDomain, RouterServices } from '#/clusters/api.ts'
import type { Makers } from '#/compose/lazily.ts'
import type { ComposeDeps } from '#/compose/deps.ts'
import type { DatabasesDomain } from '#/databases/api.ts'
import type { DependenciesDomain, SelectedReleases } from '#/dependencies/api.ts'
import type { DeploymentsDomain, ProductionPhp } from '#/deployments/api.ts'
import type { Dns, RouteNames } from '#/dns/api.ts'
import type { makeDoctor } from '#/doctor/api.ts'
import type { Environment, OwnRoutes } from '#/environment/api.ts'
import type { FirewallDomain, FirewallProgram, PublicRoutes } from '#/firewall/api.ts'
import type { GitHubDomain } from '#/github/api.ts'
import type { HibernationDomain } from '#/hibernation/api.ts'
import type {
  InstanceDefinitions,
  InstanceRoutes,
  ProductionHomes,
  InstancesDomain,
  makePlacements,
} from '#/instances/api.ts'
import type { LogsDomain } from '#/logs/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeLifecycle, NodeServices } from '#/node-lifecycle/api.ts'
import type { FamilyChecks, NodesDomain } from '#/nodes/api.ts'
import type { Php, PoolSource, ProductionSource } from '#/php/api.ts'
import type { ProcessesDomain } from '#/processes/api.ts'
import type { ProjectsDomain, RemoteGit, SourceChanges } from '#/projects/api.ts'
import type { RealtimeDomain, WebsocketService } from '#/realtime/api.ts'
import type { RoleHandlers, RolesDomain } from '#/roles/api.ts'
import type { ApplicationUrls, PrivatePaths, RoutesDomain, RoutesDeps } from '#/routes/api.ts'
import type { SchedulesDomain } from '#/schedules/api.ts'
import type { ServedSource, SourceAccess } from '#/source-access/api.ts'
import type { SourceHostDomain } from '#/source-host/api.ts'
import type { ToolsDomain } from '#/tools/api.ts'
import type { WebServer } from '#/web-server/api.ts'
import type { WorkKind } from '#/work/api.ts'

/** Every domain of one gateway, and what a test may want to replace of them. */
export interface Domains {
  readonly placements: ReturnType<typeof makePlacements>
  readonly nodes: NodesDomain
  readonly activities: ActivitiesDomain
  readonly clusters: ClustersDomain
  readonly network: Network
  readonly firewallProgram: FirewallProgram
  readonly firewall: FirewallDomain
  readonly certificates: Certificates
  readonly dns: Dns
  readonly webServer: WebServer
  readonly tools: ToolsDomain
  readonly php: Php
  readonly sourceAccess: SourceAccess
  readonly realtime: RealtimeDomain
  readonly websocket: WebsocketService
  /** What this gateway does without a request. */
  readonly workKinds: readonly WorkKind[]
  readonly workChecks: FamilyChecks
  /** Where agents reach this gateway. */
  readonly agentGateway: AgentGateway
  readonly agents: AgentsDomain
  readonly roles: RolesDomain
  /** What roles and the lifecycle of Nodes do on machines. */
  readonly nodeServices: NodeServices
  readonly roleHandlers: RoleHandlers
  readonly lifecycle: NodeLifecycle
  readonly sourceHost: SourceHostDomain
  readonly github: GitHubDomain
  readonly git: RemoteGit
  readonly projects: ProjectsDomain
  readonly sourceChanges: SourceChanges
  readonly instances: InstancesDomain
  readonly processes: ProcessesDomain
  readonly schedules: SchedulesDomain
  readonly environment: Environment
  readonly databases: DatabasesDomain
  readonly dependencies: DependenciesDomain
  readonly routes: RoutesDomain
  /** What Routes are made from; its step lists are tested with it. */
  readonly routesDeps: RoutesDeps
  readonly applicationUrls: ApplicationUrls
  readonly privatePaths: PrivatePaths
  readonly deployments: DeploymentsDomain
  readonly hibernation: HibernationDomain
  readonly logs: LogsDomain
  /** The Routes' parts of the families `route` and `instance`. */
  readonly routingChecks: readonly FamilyChecks[]
  /** What Doctor checks. */
  readonly families: readonly FamilyChecks[]
  readonly doctor: ReturnType<typeof makeDoctor>
  // What domains that come later will answer.
  readonly clusterRoutes: ClusterRoutes
  readonly routerServices: RouterServices
  readonly routeNames: RouteNames
  readonly publicRoutes: PublicRoutes
  readonly poolSource: PoolSource
  readonly productionSource: ProductionSource
  readonly servedSource: ServedSource
  readonly ownRoutes: OwnRoutes
  readonly instanceRoutes: InstanceRoutes
  readonly productionHomes: ProductionHomes
  readonly instanceDefinitions: InstanceDefinitions
  readonly releases: SelectedReleases
  readonly productionPhp: ProductionPhp
}

export interface Composition extends ComposeDeps {
  /** What a test puts in the place of a domain; everything else is built over it. */
  readonly fakes?: Partial<Domains> | undefined
}

/** Makers of some of the domains. */
export type Some = Partial<Makers<Domains>>
