import { fail, type RoleName } from '@fleet/contract'
import { identityOf, type NodeRecord, type NodeSession, type RoleStep } from '#/nodes/api.ts'
import type { Database } from '@fleet/store'
import { ROLE_NEEDS } from '#/roles/catalogue.ts'
import type { RolesDeps } from '#/roles/deps.ts'
import { ensureAppsRoot } from '#/roles/steps/apps-root.ts'
import { makeDirectories, ROLE_DIRECTORIES } from '#/roles/commands/make-directories.ts'
import { requireEngine } from '#/roles/steps/engine.ts'
import { ensureUnits } from '#/roles/commands/start-units.ts'
import { ensurePackages } from '#/tools/api.ts'

/** What every role needs on a machine. */
export interface RoleServices {
  /** Throws `node.capability_missing`, `node.tld_required` or `validation.failed` before anything changes. */
  requireCapable(session: NodeSession, role: RoleName): Promise<void>
  convergence(role: RoleName): readonly RoleStep[]
  removal(role: RoleName, options: { readonly purgeData: boolean }): readonly RoleStep[]
  /** Stored with the role becoming active. */
  onActive(db: Database, node: NodeRecord, role: RoleName): Promise<void>
}

export const makeRoleServices = (deps: RolesDeps): RoleServices => ({
  requireCapable: (session, role) => requireCapable(deps, session, role),
  convergence: (role) => (ROLE_NEEDS[role].isServed ? convergenceOf(deps, role) : [refusal(role)]),
  removal: (role) => (ROLE_NEEDS[role].isServed ? removalOf(deps, role) : [refusal(role)]),
  onActive: async (db, { cluster_id }, role) => {
    if (role === 'ingress' && cluster_id !== null) await deps.edge.publishWaiting(db, cluster_id)
  },
})

/** Throws `node.capability_missing` with the role, and `node.tld_required` (NODE-062). */
async function requireCapable(deps: RolesDeps, session: NodeSession, role: RoleName): Promise<void> {
  const { node } = session
  if (!ROLE_NEEDS[role].isServed || node.platform === 'macos') throw notServed(role)
  if (role === 'websocket') return deps.websocket.requireCapable(session)
  if (role !== 'app-dev' || node.tld !== null) return
  if ((await deps.membership.tldOf(node)) === null)
    throw fail('node.tld_required', { details: { node: identityOf(node) } })
}

function convergenceOf(deps: RolesDeps, role: RoleName): readonly RoleStep[] {
  const { packages, units } = ROLE_NEEDS[role]
  return [
    ...(packages.length === 0 ? [] : [installs(deps, role)]),
    ...(units.length === 0
      ? []
      : [{ name: 'services', run: (session: NodeSession) => ensureUnits(session, units) }]),
    ...(OWN_STEPS[role]?.(deps) ?? []),
  ]
}

const installs = (deps: RolesDeps, role: RoleName): RoleStep => ({
  name: 'packages',
  run: async (session) => void (await ensurePackages(deps, session, ROLE_NEEDS[role].packages)),
})

const DIRECTORIES: RoleStep = {
  name: 'directories',
  run: (session) => session.ask(makeDirectories, ROLE_DIRECTORIES),
}

/** What a role needs besides packages and units. */
const OWN_STEPS: Readonly<Partial<Record<RoleName, (deps: RolesDeps) => readonly RoleStep[]>>> = {
  gateway: (deps) => [opens(deps, 'gateway')],
  vpn: (deps) => [
    opens(deps, 'vpn'),
    { name: 'hub', run: async ({ call }) => void (await deps.tunnel.publish(call)) },
    { name: 'dns', run: (session) => deps.dns.ensure(session) },
  ],
  'app-dev': (deps) => [
    pools(deps),
    builds(deps, 'app-dev'),
    DIRECTORIES,
    { name: 'apps-root', run: ensureAppsRoot },
    composer(deps),
  ],
  'app-prod': (deps) => [builds(deps, 'app-prod'), DIRECTORIES, composer(deps)],
  database: () => [{ name: 'engine', run: requireEngine }],
  // The ports open only while something is published: the file comes first.
  ingress: (deps) => [routersOf(deps), builds(deps, 'ingress'), opens(deps, 'ingress')],
  router: (deps) => [opens(deps, 'router'), ...deps.routers.convergence],
  websocket: (deps) => [opens(deps, 'websocket'), ...deps.websocket.convergence],
}

/** Packages, units and directories stay: others on the machine may have come to need them (ROLE-007). */
const removalOf = (deps: RolesDeps, role: RoleName): readonly RoleStep[] => {
  const { firewall, websocket, php, routers } = deps
  const closes: RoleStep = {
    name: 'firewall',
    run: (session) => firewall.withdrawRole(session, role),
  }
  if (role === 'gateway') return [closes]
  if (role === 'app-dev') return [{ name: 'php', run: (session) => php.withdraw(session) }]
  if (role === 'router') return [...routers.withdrawal, closes]
  if (role === 'ingress') return [builds(deps, 'ingress'), closes, routersOf(deps)]
  return role === 'websocket' ? [...websocket.removal, closes] : []
}

const opens = ({ firewall }: RolesDeps, role: RoleName): RoleStep => ({
  name: 'firewall',
  run: (session) => firewall.applyRole(session, role),
})

/** The role works without it: its record says why it is not ready, and the first Tool tries again (TLX-014). */
const composer = ({ toolManagers }: RolesDeps): RoleStep => ({
  name: 'composer',
  isOptional: true,
  run: (session) => toolManagers.ensureComposer(session),
})

/** Before the sites that lead to them. A pool whose directory is missing is left to Doctor: the others run. */
const pools = ({ php }: RolesDeps): RoleStep => ({
  name: 'php',
  run: async (session) => void (await php.converge(session)),
})

/** Also on a Node without sites: what somebody placed there by hand is not served any more, and kept (RTE-166). */
const builds = ({ webServer }: RolesDeps, role: 'app-dev' | 'app-prod' | 'ingress'): RoleStep => ({
  name: 'web-server',
  run: async (session) => {
    let kept: string | undefined
    await webServer.build(session, role, (path) => {
      kept = path
    })
    return kept && replacedFile(session.node.name, kept)
  },
})

const replacedFile = (node: string, kept: string): string =>
  `The Caddyfile that was on ${node} before is kept as ${kept}: its sites are no longer served. Create a Route for each, or copy it back once the role is gone.`

/** They believe an ingress before it leads anybody to them, and until it leads nobody any more. */
const routersOf = ({ edge }: RolesDeps): RoleStep => ({
  name: 'routers',
  run: async ({ call, node }) => {
    if (node.cluster_id !== null) await edge.followIngress(call, node.cluster_id)
  },
})

const refusal = (role: RoleName): RoleStep => ({
  name: 'capability',
  run: () => Promise.reject(notServed(role)),
})

const notServed = (role: RoleName): Error =>
  fail('node.capability_missing', {
    message: `This gateway does not manage the services of the role ${role}.`,
    details: { capability: role },
  })
