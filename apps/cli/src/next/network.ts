import type { NextSteps } from './step.ts'
import { AGAIN, CONVERGE, DOCTOR, SILENT } from './words.ts'

const KEEPS_ROUTER =
  'Replace the Router instead: fleet cluster:router:set CLUSTER NODE. Or deactivate the Cluster: fleet cluster:update CLUSTER --state inactive'

const TUNNEL_LOG = `On the machine: journalctl -u wg-quick@fleet -n 20 shows why, and ss -lnup who has which UDP port. ${AGAIN}`

/** Clusters, the private network, its names, certificates and firewalls. */
export const networkSteps = {
  'cluster.not_found': 'fleet cluster:list shows the Clusters.',
  'cluster.not_empty': 'Remove its Nodes first: fleet cluster:node:detach CLUSTER NODE',
  'cluster.router_required': 'Set one first: fleet cluster:router:set CLUSTER NODE',
  'cluster.tld_conflict': 'fleet cluster:list and fleet node:list show who has which top-level domain.',
  'cluster.router_node_invalid': 'Attach the Node first: fleet cluster:node:attach CLUSTER NODE',
  'cluster.routes_require_router': KEEPS_ROUTER,
  'cluster.active_router_required': KEEPS_ROUTER,
  'cluster.node_inactive': 'fleet node:show NODE shows its status and the step that failed.',
  'cluster.membership_conflict':
    'fleet cluster:list shows whose member it is. Detach it there first: fleet cluster:node:detach CLUSTER NODE',
  'cluster.membership_missing': 'Attach it first: fleet cluster:node:attach CLUSTER NODE',
  'cluster.lan_ip_conflict':
    'fleet node:list shows the Nodes; give one of the two another --lan-ip: fleet node:add NODE',
  'cluster.router_detach_forbidden':
    'fleet cluster:router:set CLUSTER OTHER replaces it, fleet cluster:router:clear CLUSTER clears it.',
  'cluster.ingress_detach_forbidden': 'Remove the role first: fleet node:role:remove NODE ingress',
  'cluster.has_routes': 'List them with fleet route:list, then remove each: fleet route:destroy ROUTE',
  'vpn.address_taken':
    'fleet node:list shows the addresses in use. Leave out --wireguard-ip to get a free one.',
  'vpn.range_exhausted': 'Remove a Node that is not needed: fleet node:remove NODE.',
  'vpn.configuration_invalid': 'details names the record. fleet node:list shows the addresses of all Nodes.',
  'vpn.server_config_install_failed': TUNNEL_LOG,
  'vpn.peer_start_failed': TUNNEL_LOG,
  'vpn.server_missing': 'fleet node:list shows which Node has the role vpn. Finish its enrollment first.',
  'vpn.server_endpoint_missing':
    'Name it at the hub: fleet node:add HUB --wireguard-endpoint-override HOST:PORT',
  'vpn.tools_missing': `On the machine: apt-get install wireguard-tools. ${AGAIN}`,
  'vpn.peer_address_missing': 'Enroll the Node again, which gives it one: fleet node:add NODE',
  'vpn.peer_recovery_pending': CONVERGE,
  'vpn.peer_dns_state_unsupported': `On the machine: systemctl enable --now systemd-resolved. ${AGAIN}`,
  'vpn.peer_dns_apply_failed': `On the machine: lsattr /etc/resolv.conf. Where that shows an i, the file cannot be replaced: chattr -i /etc/resolv.conf. ${AGAIN}`,
  'vpn.peer_dns_candidate_invalid': 'fleet doctor:run --node NODE shows what differs on the machine.',
  'node.dns_repair_missing': 'fleet node:list shows the Nodes.',
  'node.dns_repair_inactive': 'fleet node:show NODE shows its status and the step that failed.',
  'node.dns_repair_operator_owned': 'Change the resolver on the machine itself.',
  'node.dns_repair_vpn_server': 'fleet node:converge NODE --force repairs the hub.',
  'node.dns_repair_identity_missing': 'Enroll the Node again, which records them: fleet node:add NODE',
  'dns.not_installed':
    'fleet node:converge HUB --force, with the Node that has the role vpn. Then run the same command again.',
  'dns.package_missing': `On the vpn Node: apt-get install dnsmasq-base. ${AGAIN}`,
  'dns.self_test_failed': 'fleet doctor:run --families role shows what is wrong on the vpn Node.',
  'certificate.store_missing': `On the Node: apt-get install ca-certificates. ${AGAIN}`,
  'certificate.owner_missing': DOCTOR,
  'firewall.not_found': 'fleet node:firewall:list NODE shows its rules.',
  'firewall.name_taken':
    'Choose another name, or remove that rule first: fleet node:firewall:remove NODE NAME',
  'firewall.action_conflict': 'Remove that rule first: fleet node:firewall:remove NODE NAME',
  'firewall.public_ssh_deny_forbidden': 'fleet node:firewall:managed NODE shows the rules that Fleet needs.',
  'firewall.deny_without_effect': 'fleet node:firewall:managed NODE shows the rule that comes first.',
  'firewall.node_unreachable': SILENT,
  'firewall.backend_inactive': 'fleet node:firewall:live NODE shows the live firewall.',
  'firewall.rule_collision': 'fleet node:firewall:live NODE shows the live rules.',
} as const satisfies NextSteps
