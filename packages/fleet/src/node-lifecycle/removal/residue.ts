import type { NodeRemovalData } from '@fleet/contract'
import { openPublicSsh } from '@fleet/contract/console-commands'
import type { Removal } from './removal.ts'

type Report = Pick<NodeRemovalData, 'roles_shed' | 'retained_on_node' | 'degradation' | 'follow_up'>

/** What a removal leaves on the machine, and what a person may do about it. */
export function residueOf(removal: Removal): Report {
  const { node, kind, roles, outcome } = removal
  const isSilent = kind === 'silent'
  const wasReached = node.provisioned_at !== null || node.architecture !== null
  const retained = wasReached ? ['user', 'package-managers', 'host-wireguard', 'firewall'] : []
  const agentLeft = wasReached && (isSilent || outcome.agentLeft)
  return {
    roles_shed: isSilent ? [...roles] : [],
    retained_on_node: [
      ...retained,
      ...(agentLeft ? ['agent'] : []),
      ...(isSilent ? roles.map((role) => `role:${role}`) : []),
    ],
    degradation: degradationOf(roles, isSilent),
    follow_up: wasReached ? followUp(removal, agentLeft) : null,
  }
}

const degradationOf = (roles: readonly string[], isSilent: boolean): string | null => {
  const services = isSilent
    ? roles.filter((role) => ['router', 'ingress', 'websocket', 'metrics'].includes(role))
    : []
  return services.length === 0
    ? null
    : `No Node serves as ${services.join(' or ')} until another Node gets the role.${services.includes('router') ? ROUTER : ''}`
}

const ROUTER =
  ' Until its Cluster has another Router, the domains of that Cluster lead nowhere: `fleet cluster:router:set CLUSTER NODE`.'

/** Whoever enrolled the machine put it there, so nobody else takes it away. */
const KEY =
  'The key of the gateway in `~/.ssh/authorized_keys` of the user of the first login (root, unless `--user` named another), with which the machine was enrolled, still lets it in: remove its line.'

/** It was turned on by the enrolment, and what the machine served before it is closed still. */
const FIREWALL =
  'Its firewall stays on, and closes all ports that no rule opens: `ufw status` shows the rules, `ufw disable` turns it off.'

const RESOLVER =
  "Until its tunnel is stopped, the machine asks the fleet's DNS for names, which no longer answers it."

/** With a role the firewall of a machine admits SSH over the tunnel only (NODE-066), which the hub has taken from it. */
const closedBefore = ({ node, roles }: Removal): string =>
  roles.length === 0
    ? ''
    : ` Its firewall admits SSH over that tunnel only, so first open it at its console: \`${openPublicSsh(node.ssh_port)}\`.`

/** Sessions of the gateway that the tunnel no longer carries would keep the account in use. */
const removeUser = (user: string): string =>
  `loginctl terminate-user ${user}; deluser ${user}; rm /etc/sudoers.d/fleet-${user}`

function followUp(removal: Removal, agentLeft: boolean): string {
  const { node, kind, outcome } = removal
  const tunnel = '`systemctl disable --now wg-quick@fleet`'
  const agent = agentLeft ? ' and `systemctl disable --now fleet-agent`' : ''
  const clean = `To clean the machine, run ${tunnel}${agent} on it, and \`${removeUser(node.user)}\` to remove the managed user with its right to become root, if the account was created for Fleet. ${KEY} ${FIREWALL}`
  const resolver = kind !== 'online' || outcome.resolverLeft === true ? ` ${RESOLVER}` : ''
  if (kind !== 'silent') return `${clean}${resolver} The machine can also be enrolled again as it is.`
  return `The machine did not answer and was not changed: it still has its tunnel key, which the hub no longer accepts.${closedBefore(removal)} When it is back online, enroll it again under any name, or clean it. ${clean}${resolver}`
}
