import type { NodeDetailData, RoleAssignmentData } from '@fleet/contract'
import { inline, NOTHING } from '#/print/value.ts'
import { wrongOf } from './node-trouble.ts'
import { type Paper, type Row, section, type View } from './view.ts'

/** A Node as a person asks about it: what it is, where it is, what it does, who may act on it, and what is wrong. */
export const nodeShow: View = {
  also: ({ id }) => ({ operation: 'node:role:list', members: { node: id } }),
  lines: (data, also, paper) => {
    const node = data as unknown as NodeDetailData // The gateway answers by this declaration.
    const roles = Array.isArray(also) ? (also as RoleAssignmentData[]) : undefined // As above, for the roles.
    return [
      `${paper.colors.bold(inline(node.name))} (${node.id})  ${statusText(node.status, paper)}`,
      ...section('Machine', machineRows(node), paper),
      ...section('Network', networkRows(node), paper),
      ...roleLines(node, roles, paper),
      ...section('Access', accessRows(node), paper),
      ...wrongLines(node, roles ?? [], paper),
    ]
  },
}

const statusText = (status: string, { colors }: Paper): string =>
  status === 'failed' ? colors.red(status) : status

function machineRows(node: NodeDetailData): readonly Row[] {
  const system = [node.platform, node.architecture].filter((part) => part !== null).join(' ')
  return filled([
    ['system', system],
    ['public SSH', hostPort(node.public_ssh_host, node.public_ssh_port)],
    ['managed user', node.user],
    ['host key', node.ssh_host_fingerprint],
    ['checkouts', node.settings?.apps.path ?? 'in apps below the home of the managed user'],
    ['no checkouts of', inline(node.excluded_projects.map(({ project_slug: slug }) => slug))],
  ])
}

const networkRows = (node: NodeDetailData): readonly Row[] =>
  filled([
    ['tunnel address', node.wireguard_ip],
    ['tunnel key', node.wireguard_public_key],
    ['reaches hub at', node.wireguard_endpoint_override],
    ['DNS server', node.dns_server_override],
    ['LAN address', node.lan_ip],
    ['domain', node.tld === null ? null : `.${node.tld}`],
    ['Cluster', node.cluster_id === null ? null : String(node.cluster_id)],
  ])

/** The names alone where the states could not be read. */
function roleLines(
  node: NodeDetailData,
  roles: readonly RoleAssignmentData[] | undefined,
  paper: Paper,
): readonly string[] {
  if (roles) {
    const rows = roles.map(({ role, status }): Row => [role, statusText(status, paper)])
    return rows.length > 0 ? section('Roles', rows, paper) : section('Roles', [[NOTHING, 'none yet']], paper)
  }
  return section('Roles', [['active', inline(node.roles)]], paper)
}

const accessRows = ({ access, callers }: NodeDetailData): readonly Row[] =>
  filled([
    ['callers', callers === null ? null : ['root', ...callers].join(', ')],
    ['may act on', inline(access.can_access)],
    ['obeys', inline(access.accessible_by)],
  ])

function wrongLines(
  node: NodeDetailData,
  roles: readonly RoleAssignmentData[],
  paper: Paper,
): readonly string[] {
  const { red, cyan, dim, bold } = paper.colors
  const troubles = wrongOf(node, roles, paper.messageOf)
  if (troubles.length === 0) return []
  const lines = troubles.flatMap(({ what, next }) => [`  ${what}`, `  ${dim('next')}  ${cyan(next)}`])
  return ['', red(bold('Problems')), ...lines]
}

function hostPort(host: string | null, port: number | null): string | null {
  if (host === null) return null
  return port === null || port === 22 ? host : `${host} port ${port}`
}

/** Rows that say something, safe for a terminal. */
const filled = (rows: ReadonlyArray<readonly [string, string | null]>): readonly Row[] =>
  rows.flatMap(([name, text]): readonly Row[] =>
    text === null || text === '' || text === NOTHING ? [] : [[name, inline(text)]],
  )
