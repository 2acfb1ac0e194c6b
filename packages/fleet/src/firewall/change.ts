import { createHash } from 'node:crypto'
import type { Writing } from '#/firewall/commands/write-rules.ts'
import { type Edit, edited } from '#/firewall/edit.ts'
import { gatewayPaths } from '#/firewall/facts.ts'
import { members, recovery } from '#/firewall/managed/table.ts'
import { fleetRulesOf, inOrder } from '#/firewall/order.ts'
import type { FirewallProgram } from '#/firewall/program.ts'
import { blockOf, formatRulesFile, type RulesFile } from '#/firewall/ufw/rules-file.ts'
import {
  beginsWith,
  familiesOf,
  type FamilyState,
  type FirewallState,
  type PresentFirewall,
  rulesOf,
  type WriteRefusal,
} from '#/firewall/ufw/state.ts'
import { admitsGateway, type GatewayPaths } from '#/firewall/gateway-paths.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface Change {
  readonly edit: Edit
  /** Turns the firewall on; otherwise one that is off stays off, with the rules in its files. */
  readonly enables?: boolean
  /** The way over the tunnel must be proven first. */
  readonly tunnel?: { readonly address: string; readonly port: number }
  /** How the gateway reaches the machine, when not as its record says. */
  readonly ways?: GatewayPaths
}

export type Changed =
  | { readonly kind: 'done'; readonly state: PresentFirewall }
  | { readonly kind: 'refused'; readonly reason: WriteRefusal }
  /** It was written, and the machine shows something else. */
  | { readonly kind: 'unverified' }

// A person on the machine may change a rule between reading and writing; then the change is computed again.
const ROUNDS = 5

/**
 * Applies the change on the machine: writes nothing if all of it is present and loaded, and never rules that would lock
 * the gateway out. `seen` saves a round trip.
 */
export async function changeRules(
  program: FirewallProgram,
  session: NodeSession,
  change: Change,
  seen?: FirewallState,
): Promise<Changed> {
  let state = seen
  for (let round = 0; round < ROUNDS; round += 1) {
    state ??= await program.read(session)
    if (state.backend === 'absent') return { kind: 'refused', reason: 'absent' }
    const ways = change.ways ?? gatewayPaths(session.node)
    const files = candidates(state, ways, change.edit)
    if (isApplied(state, files) && (state.isLasting || !change.enables)) return { kind: 'done', state }
    const answer = await program.write(session, writing(state, files, ways, change))
    if (!('refused' in answer)) return verified(answer, files, change.enables ?? state.backend === 'active')
    if (answer.refused !== 'changed') return { kind: 'refused', reason: answer.refused }
    state = undefined
  }
  return { kind: 'refused', reason: 'changed' }
}

function verified(state: FirewallState, files: readonly RulesFile[], wasToBeActive: boolean): Changed {
  if (state.backend === 'absent' || !isApplied(state, files)) return { kind: 'unverified' }
  return wasToBeActive && state.backend !== 'active' ? { kind: 'unverified' } : { kind: 'done', state }
}

/** The rules files after the change. Whatever the change is, one way of the gateway stays. */
function candidates(state: PresentFirewall, ways: GatewayPaths, edit: Edit): readonly RulesFile[] {
  return familiesOf(state).map(({ file }) => {
    const next = edited(file, edit)
    if (file.family === 'ipv6' || admitsGateway(rulesOf(next), ways)) return next
    const way = ways.tunnelAddress === null ? recovery(ways) : members(ways)
    const blocks = way.map(({ rule }) => blockOf(rule, file.family))
    return { ...next, blocks: inOrder([...blocks, ...next.blocks]) }
  })
}

/** Whether the files are these, and in force where the firewall is on. */
const isApplied = (state: PresentFirewall, files: readonly RulesFile[]): boolean =>
  familiesOf(state).every((family, at) => {
    const file = files[at]
    if (!file || digestOf(file) !== family.digest) return false
    return (
      state.backend === 'inactive' || isKernelless(family) || beginsWith(fleetRulesOf(file.blocks), family)
    )
  })

// A machine without IPv6 in its kernel has no chains for it, and nothing to keep out.
const isKernelless = ({ file, kernel }: FamilyState): boolean => file.family === 'ipv6' && kernel.size === 0

function writing(
  state: PresentFirewall,
  files: readonly RulesFile[],
  { publicSshPorts }: GatewayPaths,
  { enables, tunnel }: Change,
): Writing {
  const [ipv4, ipv6] = familiesOf(state).map(({ digest }, at) => {
    const file = files[at]
    return file && { before: digest, text: formatRulesFile(file) }
  })
  if (!ipv4) throw new Error('every firewall has rules for IPv4')
  const how = enables ? 'enable' : state.backend === 'active' ? 'load' : 'files'
  return { ipv4, ipv6, how, publicSshPorts, tunnel }
}

const digestOf = (file: RulesFile): string => createHash('sha256').update(formatRulesFile(file)).digest('hex')
