import { CodedError } from '@fleet/kernel'
import { type ErrorCode, fail } from '@fleet/contract'
import { holding, lockOf } from '#/locks/api.ts'
import { ensureService, removeService, sha256 } from '#/managed-services/api.ts'
import { identityOf, type NodeArtifact, type NodeSession } from '#/nodes/api.ts'
import { inspectPools } from '#/php/commands/inspect-pools.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { ProductionPhpServices } from '#/php/php.ts'
import { askPage } from '#/php/production/ask-page.ts'
import { listServices } from '#/php/production/list-services.ts'
import { resetOpcodeCache } from '#/php/production/reset-cache.ts'
import { productionPlaces, productionService } from '#/php/production/service.ts'
import { productionPools, type ProductionService, withoutPools } from '#/php/production/service-record.ts'
import { configurationText, MASTER_TEXT, unitText } from '#/php/production/text.ts'
import { UnsafeDirectory } from '#/php/service/text.ts'
import { asUnavailable, versionFor } from '#/php/version-for.ts'
import { ensurePackages } from '#/tools/api.ts'

export const makeProductionServices = (deps: PhpDeps): ProductionPhpServices => ({
  versionFor: async (session, source) => {
    try {
      return await versionFor(deps, session, source)
    } catch (error) {
      throw forProduction(error)
    }
  },
  converge: (session, instanceId) =>
    withService(deps, session, instanceId, (service) => ensure(deps, session, service, {})),
  convergeFound: (session, instanceId) =>
    withService(deps, session, instanceId, (service) =>
      ensure(deps, session, service, { skipsMissing: true }),
    ),
  refresh: (session, instanceId) =>
    withService(deps, session, instanceId, async (service) => {
      await ensure(deps, session, service, {})
      await resetOpcodeCache(session, service, deps.root ?? '')
    }),
  askPage: (session, request) => askPage(session, request, deps.root ?? ''),
  remove: (session, instanceId) =>
    withService(deps, session, instanceId, async (service) => {
      await removeService(deps, session, productionPlaces(service))
    }),
  artifact: makeProductionArtifact(deps),
})

/** Under the lock of the PHP of the Node, of which the records are read again. Most Instances have no service. */
async function withService(
  deps: PhpDeps,
  session: NodeSession,
  instanceId: number,
  work: (service: ProductionService) => Promise<unknown>,
): Promise<void> {
  const find = async (): Promise<ProductionService | undefined> =>
    (await deps.production.servicesOn(session.node)).find(({ instance }) => instance.id === instanceId)
  if (!(await find())) return
  await holdingPhp(deps, session, async () => {
    const service = await find()
    if (service) await work(service)
  })
}

const holdingPhp = <T>({ store }: PhpDeps, { call, node }: NodeSession, work: () => Promise<T>): Promise<T> =>
  holding(store, call, lockOf('php', node.id, { details: { node: identityOf(node), stage: 'lock' } }), work)

interface Ensuring {
  readonly force?: boolean
  /** Pools whose directory is missing are left out, instead of a refusal; without that of the first one nothing is changed. */
  readonly skipsMissing?: boolean
}

/** Throws `app-prod.php_runtime_failed` with the stage `directory` for a pool whose directory is missing. */
async function ensure(
  deps: PhpDeps,
  session: NodeSession,
  asked: ProductionService,
  { force = false, skipsMissing = false }: Ensuring,
): Promise<'applied' | 'unchanged'> {
  await requireOwnMachines(deps, session)
  const service = await installFor(deps, session, asked, skipsMissing)
  if (!service) return 'unchanged'
  const observed = { isSettled: true }
  const declared = productionService(session.node, service, observed)
  const { outcome } = await ensureService(deps, session, declared, { force })
  if (outcome === 'applied' || observed.isSettled) return outcome
  // A publication was interrupted before its manager took what is there.
  return (await ensureService(deps, session, declared, { force: true })).outcome
}

/** Without a private network the machines of the Nodes are somebody's own: nothing is written there. */
async function requireOwnMachines({ network }: PhpDeps, session: NodeSession): Promise<void> {
  if (await network.settings()) return
  throw fail('node.capability_missing', {
    details: { node: identityOf(session.node), capability: 'PHP' },
  })
}

/** The service with the pools that can run. Undefined when its first one cannot. */
async function installFor(
  deps: PhpDeps,
  session: NodeSession,
  service: ProductionService,
  skipsMissing: boolean,
): Promise<ProductionService | undefined> {
  const { version, instance } = service
  const pools = productionPools(service).map(({ name, directory }) => ({
    name,
    directory,
    version,
    instance,
  }))
  const { missing, absent } = await session.ask(inspectPools, { root: deps.root ?? '', pools })
  if (missing.length > 0 && !skipsMissing)
    throw fail('app-prod.php_runtime_failed', {
      details: {
        node: identityOf(session.node),
        stage: 'directory',
        message: 'The directory of a pool is missing. Deploy the Instance again.',
        directories: missing.map(({ directory }) => directory),
      },
    })
  const found = withoutPools(
    service,
    missing.map(({ name }) => name),
  )
  if (!found || absent.length === 0) return found
  try {
    await ensurePackages(deps, session, absent)
  } catch (error) {
    throw forProduction(asUnavailable(error, session))
  }
  return found
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  'app-dev.php_version_unsupported': 'app-prod.php_version_unsupported',
  'app-dev.source_evidence_changed': 'app-prod.php_version_unsupported',
  'app-dev.php_package_source_unavailable': 'app-prod.php_package_source_unavailable',
}

function forProduction(error: unknown): unknown {
  const code = error instanceof CodedError ? CODES[error.code] : undefined
  if (!(error instanceof CodedError) || code === undefined) return error
  return fail(code, { details: error.details ?? {}, cause: error })
}

/** Services of Instances whose Node did not answer when they were removed go with it. */
const makeProductionArtifact = (deps: PhpDeps): NodeArtifact => ({
  name: 'php',
  digest: async (node) => {
    if (!(await deps.network.settings())) return undefined
    const services = await deps.production.servicesOn(node)
    if (services.length === 0 && !node.activeRoles.includes('app-prod')) return undefined
    return sha256(JSON.stringify(services.map(textsOf)))
  },
  converge: (session, { force }) =>
    holdingPhp(deps, session, async () => {
      const services = await deps.production.servicesOn(session.node)
      const outcomes = new Set<Awaited<ReturnType<NodeArtifact['converge']>>>()
      for (const service of services) outcomes.add(await ensuredOrSkipped(deps, session, service, force))
      if (await removeOthers(deps, session, services)) outcomes.add('applied')
      const skipped = [...outcomes].find((outcome) => typeof outcome !== 'string')
      return skipped ?? (outcomes.has('applied') ? 'applied' : 'unchanged')
    }),
})

/** One Instance whose service cannot run keeps no other from its own. */
async function ensuredOrSkipped(
  deps: PhpDeps,
  session: NodeSession,
  service: ProductionService,
  force: boolean,
): ReturnType<NodeArtifact['converge']> {
  try {
    return await ensure(deps, session, service, { force })
  } catch (error) {
    if (!(error instanceof CodedError) || !OF_ONE_SERVICE.has(error.code)) throw error
    return { skipped: error.code as ErrorCode } // It is one of the set below.
  }
}

const OF_ONE_SERVICE: ReadonlySet<string> = new Set([
  'app-prod.php_runtime_failed',
  'app-prod.php_runtime_identity_invalid',
])

function textsOf(service: ProductionService): readonly string[] {
  try {
    return [configurationText(service, []), MASTER_TEXT, unitText(service)]
  } catch (error) {
    // Something to converge, which says what is wrong.
    if (error instanceof UnsafeDirectory) return [JSON.stringify(service)]
    throw error
  }
}

async function removeOthers(
  deps: PhpDeps,
  session: NodeSession,
  services: readonly ProductionService[],
): Promise<boolean> {
  const found = await session.ask(listServices, { root: deps.root ?? '' })
  const others = found.filter(
    ({ user, version }) => !services.some((service) => service.user === user && service.version === version),
  )
  for (const other of others) await removeService(deps, session, productionPlaces(other))
  return others.length > 0
}
