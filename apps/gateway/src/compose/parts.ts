import type {
  ActivityTeller,
  Deps,
  FirewallProgram,
  LogPublisher,
  NodeExecutables,
  ServerProbe,
  NodeServices,
  SshKeyParts,
  StatusParts,
  TrustParts,
} from '@fleet/fleet'

/** What the services of one gateway are built from. */
export interface ComposeParts extends Deps {
  readonly facts: StatusParts & TrustParts & SshKeyParts
  /** Added to the environment of `git ls-remote` on this machine. */
  readonly gitEnvironment: Readonly<Record<string, string>>
  readonly gatewayId: string
  /** The gateway's own SSH key as a line of `authorized_keys`. */
  readonly sshPublicKey: string
  readonly executables: NodeExecutables
  /** Of the role's server on its Node. */
  readonly websocketPort: number
  readonly teller: ActivityTeller
  readonly serverProbe: ServerProbe
  readonly machines?: MachineOverrides | undefined
  readonly logPublisher: LogPublisher
  /** Of trouble in the background. */
  readonly warn: (message: string, cause: unknown) => void
}

/** What a test may put in the place of work on real machines. */
export interface MachineOverrides {
  readonly services?: NodeServices
  readonly firewall?: FirewallProgram
}
