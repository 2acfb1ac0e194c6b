import type { DoctorCode } from '@fleet/contract'

/** One way to make a code appear on a Node of a healthy fleet. */
export interface Mutation {
  readonly code: DoctorCode
  /** What is reported, and the row that says so. */
  readonly title: string
  /** Of the Node `web` when absent. */
  readonly on?: 'gateway'
  /** Breaks one thing, as root on the host of the Node. */
  readonly line?: string
  /** Statements against the records of the gateway; `{web}` is the id of the Node. */
  readonly records?: string
  /** Clears what was only pretended, or what a person has to do before the command: the command alone when absent. */
  readonly byHand?: string
  /** There is nothing to run: the machine only pretended. */
  readonly pretended?: true
  /** Puts back what the repair does not concern. */
  readonly afterwards?: string
  /** Codes that come with it, after the Node. */
  readonly with?: readonly `${'web' | 'gateway'} ${DoctorCode}`[]
}

/** A program in front of another that answers some words otherwise. */
const inFrontOf = (program: string, words: string, answer: string): string => {
  const place = `/usr/local/sbin/${program.split('/').at(-1)}`
  return `printf '%s\n' '#!/bin/sh' 'if [ "$*" = "${words}" ]; then echo "${answer}"; else exec ${program} "$@"; fi' >${place} && chmod 755 ${place}`
}

const numberOf = (comment: string): string =>
  String.raw`ufw status numbered | sed -n 's/^\[ *\([0-9]*\)\].*${comment}.*/\1/p' | head -n 1`

const tunnelAddress = "$(ip -o -4 address show dev fleet | awk '{ print $4 }' | cut -d / -f 1)"

export const MUTATIONS: readonly Mutation[] = [
  {
    title: 'a machine of another architecture is reported [DRF-018]',
    code: 'node.architecture_mismatch',
    line: inFrontOf('/usr/bin/uname', '-m', 'riscv64'),
    byHand: 'rm /usr/local/sbin/uname',
    pretended: true,
  },
  {
    title: 'a machine of another platform is reported [DRF-018]',
    code: 'node.platform_mismatch',
    line: inFrontOf('/usr/bin/uname', '-s', 'Darwin'),
    byHand: 'rm /usr/local/sbin/uname',
    pretended: true,
  },
  {
    title: 'another tunnel address is reported and the recorded one comes back [DRF-019]',
    code: 'node.wireguard_ip_mismatch',
    // The machine answers at the recorded address all the same: it has it on another interface.
    line: `a=${tunnelAddress}; ip address add "$a/32" dev lo; ip address add 10.44.200.9/32 dev fleet; ip address del "$a/32" dev fleet; ip route replace 10.44.0.0/16 dev fleet src "$a"`,
    afterwards: `ip address del "${tunnelAddress}/32" dev lo`,
  },
  {
    title: 'a Node whose tunnel is down is repaired over its public address [DRF-017]',
    code: 'node.ssh_unreachable',
    // The console opened public SSH: nothing else leads to a Node with roles without its tunnel.
    line: 'ufw allow 22/tcp; systemctl stop wg-quick@fleet',
    afterwards: 'ufw delete allow 22/tcp',
    with: ['web role.node_unreachable', 'web firewall.node_unreachable'],
  },
  {
    title: 'a Node whose tunnel lost key and configuration is repaired over its public address [DRF-017]',
    code: 'node.ssh_unreachable',
    line: 'ufw allow 22/tcp; systemctl stop wg-quick@fleet; rm -rf /etc/wireguard/*',
    afterwards: 'ufw delete allow 22/tcp',
    with: ['web role.node_unreachable', 'web firewall.node_unreachable'],
  },
  {
    title: 'an agent that is gone is reported and comes back [DRF-020]',
    code: 'node.agent_missing',
    line: 'systemctl disable --now fleet-agent && rm /etc/systemd/system/fleet-agent.service && systemctl daemon-reload',
  },
  {
    title: 'an agent that was stopped is reported and runs again [DRF-020]',
    code: 'node.agent_inactive',
    line: 'systemctl stop fleet-agent',
  },
  {
    title: 'another executable is reported and replaced [DRF-021]',
    code: 'node.agent_binary_mismatch',
    line: 'cp /usr/bin/true /opt/fleet/bin/other && mv /opt/fleet/bin/other /opt/fleet/bin/fleet',
  },
  {
    title: 'another secret is reported and replaced [DRF-022]',
    code: 'node.agent_secret_mismatch',
    line: 'printf %064d 1 >/etc/fleet/agent/secret',
  },
  {
    title: 'a trust store without the root of the fleet is reported and gets it back [RTX-099]',
    code: 'node.root_untrusted',
    line: 'rm /usr/local/share/ca-certificates/fleet-gateway.crt && update-ca-certificates --fresh',
  },
  {
    title: 'a foreign command is reported, kept beside its place, and its place taken again [DRF-025]',
    code: 'node.cli_foreign',
    line: 'rm /usr/local/bin/fleet && cp /usr/bin/true /usr/local/bin/fleet',
    afterwards: 'cmp /usr/bin/true /usr/local/bin/fleet.foreign && rm /usr/local/bin/fleet.foreign',
  },
  {
    title: 'a role whose convergence failed is reported and converged [DRF-029]',
    code: 'role.lifecycle_not_active',
    records:
      "update node_roles set status = 'failed', failed_step = 'converge:packages' where role = 'app-dev' and node_id = {web}",
    // A Node without an active role has no name of its own, and public SSH.
    with: ['web firewall.rule_missing', 'gateway role.dns_projection_mismatch'],
  },
  {
    title: 'a role whose removal failed is reported, and removed for good [DRF-029]',
    code: 'role.lifecycle_not_active',
    records:
      "insert into node_roles (node_id, role, status, failed_step, created_at) values ({web}, 'database', 'failed', 'remove:services', '2026-01-01T00:00:00.000Z')",
  },
  {
    title: 'a claim that nobody holds any more is reported and taken over [DRF-029]',
    code: 'role.claim_stale',
    records:
      "update node_roles set status = 'provisioning', claimed_at = '2026-01-01T00:00:00.000Z' where role = 'app-dev' and node_id = {web}",
    with: ['web firewall.rule_missing'],
  },
  {
    title: 'a stopped web server is reported and runs again [DRF-030]',
    code: 'role.services_inactive',
    line: 'systemctl stop caddy',
  },
  {
    title: 'a package that was taken away is reported and comes back [DRF-030]',
    code: 'role.packages_missing',
    line: 'dpkg --purge --force-depends unzip',
  },
  {
    title: 'a package of the hub that was taken away is reported and comes back [DRF-030]',
    code: 'role.packages_missing',
    on: 'gateway',
    line: 'dpkg --purge --force-depends dnsmasq-base',
  },
  {
    title: 'a foreign state of the resolver is reported, kept beside its place, and replaced [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'echo dns 9.9.9.9 >/etc/wireguard/fleet.dns-link',
    afterwards:
      'grep -qx "dns 9.9.9.9" /etc/wireguard/fleet.dns-link.foreign && rm /etc/wireguard/fleet.dns-link.foreign',
  },
  {
    title:
      'a running tunnel whose key and configuration are gone is reported, stays up, and has them again [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'rm -rf /etc/wireguard/*',
    afterwards: 'test -s /etc/wireguard/fleet.key && systemctl restart wg-quick@fleet',
  },
  {
    title: 'a resolver that asks another server is reported and asks the fleet again [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'resolvectl dns fleet 9.9.9.9',
  },
  {
    title: 'a replaced list of name servers of a Node is reported, put back and kept [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'rm /etc/resolv.conf && echo nameserver 9.9.9.9 >/etc/resolv.conf',
    afterwards: 'grep -q 9.9.9.9 /etc/resolv.conf.before-fleet-* && getent hosts gateway.fleet',
  },
  {
    title: 'a replaced list of name servers of the gateway is reported, put back and kept [DRF-038]',
    code: 'role.private_dns_route_mismatch',
    on: 'gateway',
    line: 'rm /etc/resolv.conf && echo nameserver 9.9.9.9 >/etc/resolv.conf',
    afterwards: 'grep -q 9.9.9.9 /etc/resolv.conf.before-fleet-* && getent hosts gateway.fleet',
  },
  {
    title: 'a tunnel that answers LLMNR is reported and silent again [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'resolvectl llmnr fleet yes',
    afterwards: 'resolvectl llmnr fleet | grep -q ": no$"',
  },
  {
    title: 'a firewall that was turned off is reported and on again [DRF-057]',
    code: 'firewall.backend_inactive',
    line: 'ufw disable',
  },
  {
    title: 'a firewall that lost all of its rules and is off has them again and is on [DRF-057]',
    code: 'firewall.backend_inactive',
    line: 'ufw --force reset',
  },
  {
    title: 'a firewall that is not installed any more is reported and comes back [DRF-057]',
    code: 'firewall.backend_inactive',
    line: 'ufw disable; dpkg --purge --force-depends ufw',
  },
  {
    title: 'a rule of an operator that is gone is reported and comes back [DRF-057]',
    code: 'firewall.rule_missing',
    line: `ufw --force delete "$(${numberOf('fleet:node:[0-9]*:firewall:shop')})"`,
  },
  {
    title: 'a rule of an operator with other values is reported and corrected [DRF-057]',
    code: 'firewall.rule_mismatch',
    line: `ufw --force delete "$(${numberOf('fleet:node:[0-9]*:firewall:shop')})"; ufw allow 9999/tcp comment "$(cat /root/shop-comment)"`,
  },
  {
    title: 'a rule whose request did not end is reported and finished [DRF-057]',
    code: 'firewall.lifecycle_not_active',
    records:
      "update firewall_rules set status = 'failed', failed_step = 'apply', error_code = 'firewall.apply_failed' where node_id = {web}",
  },
  {
    title: 'an Instance whose setup was interrupted is reported and set up',
    code: 'instance.setup_unfinished',
    records: "update instances set setup = 'pending', failed_step = 'setup' where node_id = {web}",
  },
  {
    title: 'a stopped private DNS is reported and runs again [DRF-030]',
    code: 'role.services_inactive',
    on: 'gateway',
    line: 'systemctl stop fleet-dnsmasq',
  },
  {
    title: 'other private names are reported and published anew [DRF-034]',
    code: 'role.dns_projection_mismatch',
    on: 'gateway',
    line: `sed -i 's/"requesters": *{/&"10.44.250.250":99,/' /var/lib/fleet/private-dns/catalog.json`,
  },
  {
    title: 'a hub that would not come up after a boot is reported and does again [DRF-035]',
    code: 'role.vpn_inactive',
    on: 'gateway',
    line: 'systemctl disable wg-quick@fleet',
  },
  {
    title: 'a peer that no record knows is reported and gone [DRF-035]',
    code: 'role.vpn_projection_mismatch',
    on: 'gateway',
    line: 'wg set fleet peer "$(wg genkey | wg pubkey)" allowed-ips 10.44.200.9/32',
  },
  {
    title:
      'a gateway that asks another server for private names is reported and asks its own again [DRF-038]',
    code: 'role.private_dns_route_mismatch',
    on: 'gateway',
    line: 'resolvectl dns fleet 9.9.9.9',
  },
  {
    title: 'a missing rule of a role is reported and comes back [DRF-034]',
    code: 'role.firewall_projection_mismatch',
    on: 'gateway',
    line: `ufw --force delete "$(${numberOf('fleet:.*gateway-https')})"`,
  },
]

/** Codes that this test cannot make on a Node with an Instance, or whose remedy is no command, each with the reason. */
export const NOT_MADE: Readonly<Partial<Record<DoctorCode, string>>> = {
  'project.update_unfinished':
    'an update that stops half-way is no state of a machine: checks.test.ts of Project updates follows it',
  'project.deploy_key_refused':
    'only a person can give a key back at a Git host: checks.test.ts of Projects makes it',
  'instance.transfer_unfinished': 'an open transfer has two Nodes: checks.test.ts of Instances makes it',
  'node.lifecycle_not_active': 'neither enrolment nor removal of a Node with an Instance can fail half-way',
  'node.ssh_connection_refused': 'a stopped SSH server is started at the console: doctor.test.ts',
  'node.ssh_key_refused': 'the key of the gateway is given back at the console: the command prints it',
  'node.ssh_host_key_changed': 'only a person can say whose key it is: faults of host keys in ssh.test.ts',
  'node.agent_view_stale': 'needs a WebSocket server that the agent cannot reach: agent-states.test.ts',
  'node.disk_low': 'space is freed by a person: doctor.test.ts',
  'node.route_residue_retained':
    'needs a Node that was dead: destroy.test.ts and instance-routes.test.ts of Routes',
  'node.background_work_failed': 'retried by a person at the console of the gateway, once the cause is gone',
  'node.background_work_overdue': 'the gateway is restarted by a person',
  'schedule.lifecycle_not_active':
    'its command removes what is half-made: repair.machine.test.ts of Schedules',
  'schedule.artifact_missing':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.artifact_permissions_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.orphan_artifact':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.specification_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.timer_state_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.calendar_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.execution_context_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.completion_callback_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.placement_mismatch':
    'the fleet of this test has no Schedule: repair.machine.test.ts of Schedules follows it',
  'schedule.inspection_failed': 'a check that breaks is no state of a machine',
  'schedule.node_unreachable': 'comes with node.ssh_unreachable',
  'tool.lifecycle_not_active':
    'the fleet of this test has no Tool: tools.test.ts on hosts and checks.machine.test.ts of Tools',
  'tool.not_installed':
    'the fleet of this test has no Tool: tools.test.ts on hosts and checks.machine.test.ts of Tools',
  'tool.version_mismatch': 'the fleet of this test has no Tool: checks.machine.test.ts of Tools follows it',
  'tool.inspection_failed': 'a check that breaks is no state of a machine',
  'tool.node_unreachable': 'comes with node.ssh_unreachable',
  'process.lifecycle_not_active':
    'its command removes what is half-made: repair.machine.test.ts of Processes',
  'process.runtime_missing':
    'the fleet of this test has no Process: repair.machine.test.ts of Processes follows it',
  'process.unit_mismatch':
    'the fleet of this test has no Process: repair.machine.test.ts of Processes follows it',
  'process.state_mismatch':
    'the fleet of this test has no Process: repair.machine.test.ts of Processes follows it',
  'process.crash_loop':
    'the fleet of this test has no Process: repair.machine.test.ts of Processes follows it',
  'process.inspection_failed': 'a check that breaks is no state of a machine',
  'process.node_unreachable': 'comes with node.ssh_unreachable',
  'node.process_residue_retained': 'needs a Node that was dead: repair.machine.test.ts of Processes',
  'node.database_residue_retained': 'needs a server that was silent: owned.machine.test.ts of databases',
  'route.lifecycle_not_active': 'the request that failed is repeated by who made it',
  'route.publication_unfinished': 'judged by records alone: checks.test.ts of Routes',
  'route.web_root_unfinished': 'judged by records alone: checks.test.ts of Routes',
  'route.dns_mismatch': 'names no command: checks.test.ts of Routes',
  'route.certificate_mismatch': 'the fleet of this test has no Route: routes.test.ts',
  'route.caddy_mismatch': 'the fleet of this test has no Route: routes.test.ts',
  'route.upstream_unreachable': 'the service behind a Route is started by a person',
  'database_connection.unhealthy': 'judged by records alone: checks.test.ts of databases follows its command',
  'database_connection.missing': 'names no command: checks.test.ts of databases/attachments',
  'database_connection.env_mismatch':
    'judged by records alone: checks.test.ts of databases/attachments follows its command',
  'database_connection.inspection_failed': 'judged by records alone: checks.test.ts of databases',
  'route.inspection_failed': 'a check that breaks is no state of a machine',
  'route.node_unreachable': 'comes with node.ssh_unreachable',
  'instance.private_routing_scope_mismatch':
    'records alone: instance.machine.test.ts of the checks of Routes',
  'instance.router_caddy_mismatch': 'the fleet of this test has no Router: doctor-next-routes.test.ts',
  'instance.workload_caddy_mismatch': 'the Instance of this test has no Route: doctor-next-routes.test.ts',
  'instance.caddy_projection_mismatch':
    'the fleet of this test has no production: instance.machine.test.ts of the checks of Routes',
  'instance.environment_projection_mismatch':
    'the fleet of this test has no production: checks.machine.test.ts of environments follows it',
  'instance.production_home_mismatch':
    'the home is given back by a person: checks.machine.test.ts of deployments',
  'instance.release_selection_mismatch':
    'the fleet of this test has no production: checks.machine.test.ts of deployments follows it',
  'instance.selected_release_root_mismatch':
    'the fleet of this test has no production: checks.machine.test.ts of deployments follows it',
  'instance.private_certificate_mismatch':
    'the Instance of this test has no Route: doctor-next-routes.test.ts',
  'instance.private_dns_mismatch': 'the Instance of this test has no Route: doctor-next-routes.test.ts',
  'instance.private_firewall_mismatch':
    'without that rule the gateway does not reach the Node either: checks.test.ts of firewalls',
  'instance.laravel_url_mismatch': 'the Instance of this test has no Route: doctor-next-routes.test.ts',
  'instance.target_set_mismatch': 'the fleet of this test has no Router: doctor-next-routes.test.ts',
  'instance.route_association_mismatch':
    'the command removes the Instance: instance.machine.test.ts of the checks of Routes',
  'instance.related_node_unverifiable':
    'the fleet of this test has no Router: instance.machine.test.ts of the checks of Routes',
  'instance.public_ingress_mismatch': 'the fleet of this test has no ingress: public-edge.test.ts',
  'instance.public_tls_mismatch': 'the fleet of this test has no ingress: public-edge.test.ts',
  'instance.public_firewall_mismatch': 'the fleet of this test has no ingress: public-edge.test.ts',
  'instance.removal_stuck': 'its command ends the removal: checks.test.ts of Instances',
  'instance.inspection_failed': 'a check that breaks is no state of a machine',
  'instance.node_unreachable': 'comes with node.ssh_unreachable',
  'project.repository_origin_mismatch':
    'the origin is set back by a person: checkouts.machine.test.ts of Instances',
  'project.inspection_failed': 'a check that breaks is no state of a machine',
  'project.node_unreachable': 'comes with node.ssh_unreachable',
  'instance.web_root_link': 'links are removed by a person: instance.machine.test.ts of the checks of Routes',
  'instance.checkout_missing': 'the checkout is put back by a person: checkouts.machine.test.ts of Instances',
  'instance.source_layout_mismatch':
    'the checkout is put back by a person: checkouts.machine.test.ts of Instances',
  'instance.source_identity_mismatch':
    'the checkout is put back by a person: checkouts.machine.test.ts of Instances',
  'instance.repository_layout_mismatch':
    'the checkout is put back by a person: checkouts.machine.test.ts of Instances',
  'instance.origin_mismatch': 'the checkout is put back by a person: checkouts.machine.test.ts of Instances',
  'node.instance_residue_retained': 'needs a Node that was dead: dead-node.test.ts',
  'firewall.callers_mismatch': 'needs a Node whose callers are limited: doctor.test.ts follows it',
  'instance.lifecycle_not_active': 'its command removes what is half-made: checks.test.ts of Instances',
  'instance.dependencies_stale': 'the file is mended by a person: checks.test.ts of dependencies',
  'node.inspection_failed': 'a check that breaks is no state of a machine',
  'role.inspection_failed': 'a check that breaks is no state of a machine',
  'firewall.inspection_failed': 'a check that breaks is no state of a machine',
  'role.node_unreachable': 'comes with node.ssh_unreachable',
  'firewall.node_unreachable': 'comes with node.ssh_unreachable',
  'role.caddy_version_unsupported': 'no check reports it yet',
  'role.caddy_build_drift': 'no check reports it: nothing renders the file yet',
  'role.php_pool_directory_missing': 'the fleet of this test has no Route: checks.machine.test.ts of PHP',
  'instance.php_fpm_association_missing': 'the fleet of this test has no Route: doctor-next-routes.test.ts',
  'instance.php_fpm_association_shared': 'the fleet of this test has no Route: checks.machine.test.ts of PHP',
  'instance.php_fpm_projection_mismatch':
    'the fleet of this test has no Route: checks.machine.test.ts of PHP',
  'role.root_ending': 'ten years pass before it: checks.test.ts of certificates',
  'role.certificate_mismatch': 'the service is restarted by a person',
  'role.assignment_conflict': 'no request makes such a pair',
  'role.singleton_conflict': 'no request makes a second holder',
  'role.cluster_ownership_mismatch': 'no request makes a Router outside a Cluster',
  'role.cluster_cardinality_conflict': 'no request makes a second Router of a Cluster',
  'route.target_set_unfinished': 'the fleet of this test has no Cluster: checks.test.ts of Routes',
  'role.cluster_router_missing': 'the fleet of this test has no Cluster: checks.test.ts of Clusters',
}
