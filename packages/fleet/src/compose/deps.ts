import type { ActivityPublisher } from '#/activities/api.ts'
import type { ServedCertificates } from '#/certificates/api.ts'
import type { DatabaseEngines } from '#/databases/api.ts'
import type { Deps } from '#/deps.ts'
import type { SshKeyDeps } from '#/gateway/ssh-key.ts'
import type { GitHubServer } from '#/github/api.ts'
import type { StatusDeps } from '#/gateway/status.ts'
import type { TrustDeps } from '#/gateway/trust.ts'
import type { HibernationSettings } from '#/hibernation/api.ts'
import type { LogPublisher } from '#/logs/api.ts'
import type { NodeExecutables } from '#/managed-services/api.ts'
import type { ServerProbe } from '#/realtime/api.ts'
import type { LocalWebServers } from '#/web-server/api.ts'

/** What the domains of one gateway are built from: the process, its sockets, files and environment. */
export interface ComposeDeps extends Deps {
  readonly facts: StatusDeps & TrustDeps & SshKeyDeps
  /** Added to the environment of `git ls-remote` on this machine. */
  readonly gitEnvironment: Readonly<Record<string, string>>
  readonly github: GitHubServer
  readonly gatewayId: string
  /** The gateway's own SSH key as a line of `authorized_keys`. */
  readonly sshPublicKey: string
  readonly executables: NodeExecutables
  /** Of the role's server on its Node. */
  readonly websocketPort: number
  /** Hosts of the web pages that may connect to the WebSocket server; clients that are no page need none. */
  readonly websocketOrigins: readonly string[]
  /** Directory of the ACME server of public certificates; what Caddy uses by itself when absent. */
  readonly acmeDirectory?: string | undefined
  /** The defaults when absent. */
  readonly hibernation?: HibernationSettings | undefined
  readonly publisher: ActivityPublisher
  readonly serverProbe: ServerProbe
  /** What reads registered databases. */
  readonly engines: DatabaseEngines
  readonly servedCertificates: ServedCertificates
  readonly logPublisher: LogPublisher
  /** Of trouble in the background. */
  readonly warn: (message: string, cause: unknown) => void
  /** Absolute paths no apps path may overlap besides the fixed ones (NODE-107). */
  readonly protectedPaths: readonly string[]
  /** Parts of the private range that no Node gets; that of task VMs when absent. */
  readonly reservedRanges?: readonly string[]
  /** Of Nodes that are folders of this machine: what serves their sites, where there is such a program. */
  readonly local?: LocalWebServers | undefined
  /** Root folder of every Node, for tests whose Nodes are this computer; `/` when absent. */
  readonly root?: string
  /** Unix user that the WebSocket server runs as, for the same tests. */
  readonly account?: string
}
