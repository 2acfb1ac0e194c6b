import { machineQuestionOf, type MachineView } from '#/nodes/checks/machine.ts'
import { asked, type Check, differs, type FamilyChecks, nodeResource, stored } from '#/nodes/checks/types.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/** Less free space than this is low. */
const LOW_PERCENT = 10

const PLATFORMS: Readonly<Record<string, string>> = { Linux: 'linux', Darwin: 'macos' }

/** The family `node` as far as record and machine go (DRF-016 to DRF-019, DRF-026); agents add their part. */
export const nodeChecks: FamilyChecks = {
  family: 'node',
  checksOf: async (_call, node) => [lifecycle(node), ...(isInspected(node) ? machineChecks(node) : [])],
}

/** Without a pinned key nobody may log in, so the record is all there is to look at (DRF-028). */
const isInspected = (node: NodeRecord): boolean =>
  node.ssh_host_fingerprint !== null || node.activeRoles.length > 0

const lifecycle = (node: NodeRecord): Check =>
  stored('node.lifecycle_not_active', nodeResource(node), () => differs('active', node.status))

const machineChecks = (node: NodeRecord): readonly Check[] => {
  const [resource, question] = [nodeResource(node), machineQuestionOf(node)]
  return [
    asked('node.platform_mismatch', resource, question, ({ system }) =>
      node.platform === null ? undefined : differs(node.platform, PLATFORMS[system] ?? 'other'),
    ),
    asked('node.architecture_mismatch', resource, question, ({ architecture }) =>
      node.architecture === null ? undefined : differs(node.architecture, architecture),
    ),
    asked('node.wireguard_ip_mismatch', resource, question, (view) => judgeAddress(node, view)),
    asked('node.disk_low', resource, question, judgeSpace),
  ]
}

/** Without a free inode no file can be made, however much space there is. */
function judgeSpace({ freePercent, freeInodePercent = 100 }: MachineView) {
  if (Math.min(freePercent, freeInodePercent) >= LOW_PERCENT) return undefined
  const what = freeInodePercent < freePercent ? 'percent of the inodes free' : 'percent free'
  return {
    expected: `at least ${LOW_PERCENT} ${what}`,
    observed: `${Math.min(freePercent, freeInodePercent)} ${what}`,
  }
}

function judgeAddress({ wireguard_ip: recorded }: NodeRecord, { tunnelAddresses }: MachineView) {
  if (recorded === null || tunnelAddresses.includes(recorded)) return undefined
  return { expected: recorded, observed: tunnelAddresses[0] ?? 'none' }
}
