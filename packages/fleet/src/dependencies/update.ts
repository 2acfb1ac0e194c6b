import type { DependencyInventory, DependencyUpdate, UpdateErrorCode, UpdateStep } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type Call, unaborted } from '#/call.ts'
import { findVitePlus, VERIFIED_VERSION } from '#/dependencies/commands/find-vite-plus.ts'
import { readInventory } from '#/dependencies/inventory.ts'
import { availableInstance, holdingSource } from '#/dependencies/locks.ts'
import { observe } from '#/dependencies/observe.ts'
import type { Outcome, Outcomes } from '#/dependencies/outcome.ts'
import { type ScanDeps, scanInstance } from '#/dependencies/scan.ts'
import { directoryBelow, requireAvailable } from '#/dependencies/target.ts'
import { COMPOSER, type ManagerRun, runManager, stepOf, vitePlus } from '#/dependencies/update-steps.ts'
import type { Handler } from '#/handler.ts'
import type { InstanceRecord } from '#/instances/api.ts'

/** Updates a development Instance within its declared constraints: inspection, Composer, Vite+, scan (DEP-057 to DEP-061). */
export const makeUpdate =
  (deps: ScanDeps): Handler<'instance:dependencies:update'> =>
  async ({ call, input, found }) => {
    const instance = found?.instance ?? (await availableInstance(deps, input.instance))
    call.note.target(instance.node_id)
    call.note.subject('instance', instance.id)
    requireAvailable(instance)
    if (instance.environment === 'production')
      return { data: refused(instance.id, 'dependencies.production_update_forbidden') }
    const data = await holdingSource(deps, call, instance, (current) => updateInstance(deps, call, current))
    call.note.property('succeeded', data.succeeded)
    return { data }
  }

/** Each ecosystem has the code with which it refused, if it did. */
const refused = (
  instance_id: number,
  error_code: UpdateErrorCode,
  { composer, javascript }: { readonly composer?: Refusal; readonly javascript?: Refusal } = {},
): DependencyUpdate => ({
  instance_id,
  succeeded: false,
  error_code,
  may_have_mutated: false,
  composer: { ...stepOf('composer', 'not_run'), error_code: composer ?? null },
  javascript: { ...stepOf('npm', 'not_run'), error_code: javascript ?? null },
  inventory: null,
})

type Refusal = UpdateErrorCode | undefined

async function updateInstance(
  deps: ScanDeps,
  call: Call,
  instance: InstanceRecord,
): Promise<DependencyUpdate> {
  const outcomes = await observe(deps, call, instance)
  const [composer, javascript] = [refusalOf(outcomes.composer), refusalOf(outcomes.npm)]
  const refusal = composer ?? javascript
  if (refusal) return refused(instance.id, refusal, { composer, javascript })
  const isJavaScript = isPresent(outcomes.npm)
  const vp = isJavaScript ? await verifiedVitePlus(deps, call, instance) : undefined
  if (isJavaScript && vp === undefined) return refused(instance.id, UNVERIFIED, { javascript: UNVERIFIED })
  const steps = await runSteps(deps, call, instance, {
    composer: isPresent(outcomes.composer) ? COMPOSER : undefined,
    javascript: vp === undefined ? undefined : vitePlus(vp, isBun(outcomes.npm)),
  })
  const inventory = await finalScan(deps, call, instance)
  const failure = steps.composer.error_code ?? steps.javascript.error_code
  const scanError = inventory.composer.error_code ?? inventory.javascript.error_code
  return {
    instance_id: instance.id,
    succeeded: failure === null && inventory.succeeded === true,
    error_code: failure ?? scanError,
    may_have_mutated: steps.composer.may_have_mutated || steps.javascript.may_have_mutated,
    ...steps,
    inventory,
  }
}

const UNVERIFIED = 'dependencies.unsupported_delegation'

const STALE: ReadonlySet<string> = new Set([
  'dependencies.stale_npm_lockfile',
  'dependencies.stale_pnpm_lockfile',
  'dependencies.stale_bun_lockfile',
])

/** What stops everything before any package command. A stale lock does not: an update is what mends it (decision 0168). */
function refusalOf(outcome: Outcome): Refusal {
  if (outcome.kind === 'observed' || STALE.has(outcome.code)) return undefined
  return outcome.code === 'dependencies.source_unavailable' ? 'dependencies.unsafe_source' : outcome.code
}

const isPresent = (outcome: Outcome): boolean => outcome.kind === 'failed' || outcome.graph !== undefined

const isBun = (outcome: Outcomes['npm']): boolean =>
  outcome.kind === 'failed'
    ? outcome.code === 'dependencies.stale_bun_lockfile'
    : outcome.format?.startsWith('bun') === true

/** The path of its program; undefined where there is none, or none of the verified version. */
async function verifiedVitePlus(
  { nodes }: ScanDeps,
  call: Call,
  { node }: InstanceRecord,
): Promise<string | undefined> {
  try {
    const { path, version } = await nodes.sessions.overTunnel(call, node).ask(findVitePlus, undefined)
    return version === VERIFIED_VERSION ? path : undefined
  } catch (error) {
    if (error instanceof CodedError && error.code === UNVERIFIED) return undefined
    throw error
  }
}

/** A failed step stops the later one (DEP-065). */
async function runSteps(
  { instances }: ScanDeps,
  call: Call,
  instance: InstanceRecord,
  runs: { readonly composer: ManagerRun | undefined; readonly javascript: ManagerRun | undefined },
): Promise<{ readonly composer: UpdateStep; readonly javascript: UpdateStep }> {
  const below = directoryBelow(instance)
  const perform = (manager: ManagerRun): Promise<UpdateStep> =>
    runManager(instances, call, instance, below, manager)
  const composer = runs.composer ? await perform(runs.composer) : stepOf('composer', 'absent')
  if (!runs.javascript) return { composer, javascript: stepOf('npm', 'absent') }
  if (composer.status === 'failed') return { composer, javascript: stepOf('npm', 'not_run') }
  const isLater = composer.status === 'succeeded'
  return { composer, javascript: await perform({ ...runs.javascript, isLater }) }
}

/** Also after a failed or cancelled step: what it left is what the inventory must show (DEP-061). */
async function finalScan(deps: ScanDeps, call: Call, instance: InstanceRecord): Promise<DependencyInventory> {
  try {
    return await scanInstance(deps, unaborted(call), instance)
  } catch (error) {
    call.locks.requireHeld()
    // The steps have an outcome of their own; the attempt says that the scan failed.
    if (!(error instanceof CodedError)) throw error
    return readInventory(deps.store.db, instance.id)
  }
}
