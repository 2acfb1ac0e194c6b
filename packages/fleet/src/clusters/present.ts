import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import type { ClusterData, ClusterMemberData } from '@fleet/contract'
import { routerOf } from '#/clusters/rules.ts'

/** The only way of a Cluster out (CLU-001). */
export function presentCluster(cluster: ClusterRecord): ClusterData {
  const router = routerOf(cluster)
  return {
    id: cluster.id,
    name: cluster.name,
    tld: cluster.tld,
    state: cluster.state,
    nodes: cluster.members.map(presentMember),
    router: router ? presentMember(router) : null,
  }
}

const presentMember = (member: MemberRecord): ClusterMemberData => ({
  id: member.id,
  name: member.name,
  status: member.status,
  wireguard_ip: member.wireguard_ip,
  lan_ip: member.lan_ip,
})
