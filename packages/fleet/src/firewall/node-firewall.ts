import { fail, type RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { applyLimit, liftLimit, settleLimit } from '#/firewall/callers/limit.ts'
import { type Change, changeRules } from '#/firewall/change.ts'
import { closedPorts, closedText } from '#/firewall/closed-ports.ts'
import { MEMBERS, operatorsRules, RECOVERY, staleOn, wantedFor } from '#/firewall/desired.ts'
import type { Edit } from '#/firewall/edit.ts'
import { publicSshPorts, gatewayPaths } from '#/firewall/facts.ts'
import { doneOrThrow } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import { members, recovery, ROLE_RULE_NAMES, ROLE_RULES } from '#/firewall/managed/table.ts'
import { type RestoreDeps, restoreRules } from '#/firewall/restore.ts'
import { familiesOf, type FirewallState, rulesOf } from '#/firewall/ufw/state.ts'
import { identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'

/** Rules that Fleet itself keeps in the firewall of a machine. Each call may be repeated. Throws `firewall.*` codes and those of NodeSession. */
export interface NodeFirewall {
  /**
   * Over public SSH: the recovery rule for its port first, then the firewall on. Never the other way round (NODE-051, NODE-129).
   * Answers what a person should know of a firewall that kept nobody out before, in sentences.
   */
  bootstrap(session: NodeSession, publicSshPort: number): Promise<readonly string[]>
  /**
   * Admits every tunnel peer on the tunnel interface to the Node's tunnel address (NODE-053, FW-028), and writes the rules
   * of operators that the machine lacks: it may be a new one, as after a restoration of the gateway.
   */
  admitMembers(session: NodeSession): Promise<void>
  openPublicSsh(session: NodeSession): Promise<void>
  /** Only after the member rule is there and answers: the way over the tunnel must stay (NODE-066). */
  closePublicSsh(session: NodeSession): Promise<void>
  /** Rules of one role, such as HTTPS of the gateway or the hub's UDP port. */
  /** Lifts the limit of who may call the gateway, and puts the stored one back. */
  freeCallers(session: NodeSession): Promise<void>
  limitCallers(session: NodeSession): Promise<void>
  applyRole(session: NodeSession, role: RoleName): Promise<void>
  withdrawRole(session: NodeSession, role: RoleName): Promise<void>
  /** Adds the member rule where the firewall is on, and turns nothing on: the session may come from outside. */
  openTunnel(session: NodeSession): Promise<void>
  /** Everything that the records want, over the tunnel, and the firewall on. True when something was not so. */
  restore(session: NodeSession): Promise<boolean>
}

export interface NodeFirewallDeps extends RestoreDeps {
  readonly db: Database
}

/**
 * The rules that Fleet keeps for itself. Each call may be repeated, and none leaves the machine without a way of the gateway
 * for a moment. Throws `firewall.apply_failed` or `firewall.verify_failed` with `details.reason`,
 * `firewall.backend_inactive`, `node.capability_missing` and what NodeSession throws.
 */
export function makeNodeFirewall(deps: NodeFirewallDeps): NodeFirewall {
  const { readFacts } = deps
  const apply = (session: NodeSession, change: Change): Promise<void> => applied(deps, session, change)
  return {
    bootstrap: async (session, port) => {
      const { node } = session
      const ports = [...new Set([port, ...publicSshPorts(node)])]
      const wanted = wantedFor(RECOVERY, recovery({ publicSshPorts: ports }))
      const ways = { ...gatewayPaths(node), publicSshPorts: ports }
      const state = await deps.program.read(session)
      const listening = isGuarded(state) ? undefined : await deps.program.listening(session)
      const change = { edit: { wanted, stale: await staleOn(deps.store.db, node) }, enables: true, ways }
      const changed = await changeRules(deps.program, session, change, state)
      const done = doneOrThrow(node, changed, ['apply', 'verify'])
      if (!listening) return []
      const rules = familiesOf(done).flatMap(({ file }) => rulesOf(file))
      return closedText(node.name, closedPorts(listening, rules), listening.published)
    },
    admitMembers: async (session) => {
      const { node } = session
      requireAddress(node)
      const admitting = wantedFor(MEMBERS, members(await readFacts(node)))
      await holdingRules(deps.store, session.call, node.id, async () => {
        const wanted = new Map([...admitting, ...(await operatorsRules(deps.store.db, node))])
        const state = await deps.program.read(session)
        // With the route over the tunnel in its files a firewall that somebody turned off may be turned on again.
        const change = {
          edit: { wanted, stale: await staleOn(deps.store.db, node) },
          enables: state.backend === 'inactive',
        }
        doneOrThrow(node, await changeRules(deps.program, session, change, state), ['apply', 'verify'])
        await settleLimit(deps, session)
      })
    },
    openPublicSsh: async (session) => {
      const edit = { wanted: wantedFor(RECOVERY, recovery(await readFacts(session.node))) }
      await withdrawn(deps, session, edit)
    },
    closePublicSsh: async (session) => {
      const { node } = session
      const address = requireAddress(node)
      const rules = members(await readFacts(node))
      const wanted = new Map([...wantedFor(RECOVERY, []), ...wantedFor(MEMBERS, rules)])
      await apply(session, { edit: { wanted }, tunnel: { address, port: node.ssh_port } })
    },
    freeCallers: (session) => liftLimit(deps, session),
    limitCallers: async (session) => void (await applyLimit(deps, session)),
    applyRole: async (session, role) => {
      const rules = ROLE_RULES[role](await readFacts(session.node))
      const wanted = wantedFor(ROLE_RULE_NAMES[role], rules)
      if (wanted.size > 0) await apply(session, { edit: { wanted } })
    },
    withdrawRole: async (session, role) => {
      const wanted = wantedFor(ROLE_RULE_NAMES[role], [])
      if (wanted.size > 0) await withdrawn(deps, session, { wanted })
    },
    openTunnel: (session) => openTunnel(deps, session),
    restore: (session) => restoreRules(deps, session, requireAddress(session.node)),
  }
}

async function openTunnel({ program, readFacts }: NodeFirewallDeps, session: NodeSession): Promise<void> {
  const { node } = session
  requireAddress(node)
  const state = await program.read(session)
  if (state.backend !== 'active') return
  const edit = { wanted: wantedFor(MEMBERS, members(await readFacts(node))) }
  doneOrThrow(node, await changeRules(program, session, { edit }, state), ['apply', 'verify'])
}

const isGuarded = (state: FirewallState): boolean => state.backend === 'active' && state.deniesRest

/** For a change that needs the firewall on. */
async function applied({ program }: NodeFirewallDeps, session: NodeSession, change: Change): Promise<void> {
  const state = await program.read(session)
  requireActive(session.node, state)
  doneOrThrow(session.node, await changeRules(program, session, change, state), ['apply', 'verify'])
}

/** For one that an absent firewall has done already, and one that is off takes in its files. */
async function withdrawn({ program }: NodeFirewallDeps, session: NodeSession, edit: Edit): Promise<void> {
  const state = await program.read(session)
  if (state.backend === 'absent') return
  doneOrThrow(session.node, await changeRules(program, session, { edit }, state), ['apply', 'verify'])
}

function requireActive(node: NodeRecord, { backend }: FirewallState): void {
  if (backend === 'inactive') throw fail('firewall.backend_inactive', { details: { node: identityOf(node) } })
}

function requireAddress(node: NodeRecord): string {
  if (node.wireguard_ip === null) throw fail('node.unreachable', { details: { node: identityOf(node) } })
  return node.wireguard_ip
}
