import { fail, projectTypeRules } from '@fleet/contract'
import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { resolveSource } from '#/instances/commands/resolve-source.ts'
import { codeOf } from '#/error-details.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import { commitOf, prepare } from '#/instances/steps/creation.ts'
import { stepFailed } from '#/instances/steps/directory-problem.ts'
import { effectiveRootOf, placeOf } from '#/instances/steps/place.ts'
import { examined } from '#/instances/steps/profile-source.ts'
import { profileRecord } from '#/instances/stored-profile.ts'
import { carrySqlite, type SqliteSource } from '#/instances/sqlite/carry.ts'
import { seedFailed, seedOf } from '#/instances/sqlite/seed.ts'
import type { FoundInstance } from '#/instances/require.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'
import { homePaths } from './home.ts'
import { cloneBranchMissing } from './require-clonable.ts'
import { productionValues, seedValues } from './values.ts'

/** A clone on its way. */
export interface Clone {
  readonly deps: Pick<InstanceDeps, 'homes' | 'definitions' | 'environments' | 'php'> & {
    readonly routes: Pick<InstanceDeps['routes'], 'publish'>
    readonly queries: Pick<InstanceDeps['queries'], 'update'>
    readonly projects: Pick<InstanceDeps['projects'], 'login'>
  }
  /** As the production user. */
  readonly checkout: CheckoutSession
  /** The database of the candidate that it gets a copy of. */
  readonly seed: SqliteSource | undefined
  row: InstanceRow
  /** What the step found, stored with its end. */
  found: Partial<InstanceRow>
}

/** Forward only: what failed is resumed by the identical request, or removed with the Instance (INS-106). */
export const instanceClone = stepList<Clone>(
  'instance-clone',
  ({ seed }) => [
    { name: 'home', run: ensureHome },
    { name: 'checkout', run: prepareCheckout },
    { name: 'source', run: checkOut },
    { name: 'profile', run: profile },
    { name: 'php-version', run: choosePhp },
    {
      name: 'php',
      run: ({ deps, checkout, row }) => deps.php.converge(checkout.session, row.id),
    },
    ...(seed ? [{ name: 'sqlite-seed', run: seedDatabase }] : []),
    { name: 'environment', run: copyEnvironment },
    {
      name: 'definitions',
      run: ({ deps, checkout, row }) =>
        deps.definitions.copy(checkout.session.as(checkout.session.node.user), row.id),
    },
    // Before the clone is active: whoever hears its name finds a site behind it, which has nothing to serve yet.
    {
      name: 'preview',
      run: ({ deps, checkout, row }) =>
        deps.routes.publish(checkout.session.as(checkout.session.node.user), row),
    },
    {
      name: 'activate',
      run: async (clone) => {
        clone.found = { status: 'active' }
      },
    },
  ],
  { forwardOnly: true },
)

/** The row as the log: the steps that ended, what they found, and why the last one failed. */
export const cloneLog = (clone: Clone): StepLog =>
  columnsLog<Partial<InstanceRow>>({
    done: () => clone.row.clone?.done ?? [],
    on: {
      done: (step) => ({
        ...clone.found,
        ...(clone.row.clone && { clone: { ...clone.row.clone, done: [...clone.row.clone.done, step] } }),
        failed_step: null,
        error_code: null,
      }),
      failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause, 'instance.clone_failed') }),
    },
    write: async (values) => {
      clone.found = {}
      clone.row = await clone.deps.queries.update(clone.row.id, values)
    },
  })

/** Runs the clone from its first unfinished step, under its operation lock. */
export const runClone = (
  deps: InstanceDeps,
  call: Call,
  {
    row,
    node,
    candidate,
  }: { readonly row: InstanceRow; readonly node: NodeRecord; readonly candidate: FoundInstance },
): Promise<InstanceRow> =>
  withOperationLock(deps.store, call, row.id, 'instance.lifecycle_busy', async () => {
    const session = deps.nodes.sessions.overTunnel(call, node).as(row.production_user ?? '')
    const path = row.clone?.sqlite_source_path ?? undefined
    const seed =
      path === undefined ? undefined : seedOf(sessionOf(deps, call, candidate), candidate.row, path)
    const clone: Clone = {
      deps,
      checkout: { session, project: candidate.project, isNew: true },
      seed,
      row,
      found: {},
    }
    await performSteps(instanceClone, clone, { call, log: cloneLog(clone) })
    return clone.row
  })

/** A session as the user whose files the candidate has. */
export function sessionOf(
  { nodes }: Pick<InstanceDeps, 'nodes'>,
  call: Call,
  { row, node }: Pick<FoundInstance, 'row' | 'node'>,
): NodeSession {
  return nodes.sessions.overTunnel(call, node).as(row.production_user ?? node.user)
}

async function ensureHome({ deps, checkout, row }: Clone): Promise<void> {
  const { production_user: user, production_home: home, preparation_id: preparationId } = row
  if (user === null || home === null) throw fail('instance.clone_failed')
  await deps.homes.ensure(checkout.session, { user, home, preparationId })
}

async function prepareCheckout(clone: Clone): Promise<void> {
  clone.found = await prepare(clone.checkout, clone.row)
}

/** A branch that the origin does not have is made from no other one. */
async function checkOut(clone: Clone): Promise<void> {
  const { checkout, row } = clone
  const branch = row.selected_branch ?? ''
  const login = await clone.deps.projects.login(checkout.session.call, checkout.project)
  const answer = await checkout.session.ask(
    resolveSource,
    {
      ...placeOf(row),
      login,
      repositoryUrl: checkout.project.repository_url,
      branch,
      defaultBranch: branch,
      applicationDirectory: applicationDirectory(effectiveRootOf(checkout, row)),
    },
    { broken: stepFailed('checkout') },
  )
  if (answer.word === 'branch-missing') throw cloneBranchMissing(branch)
  clone.found = { status: 'source_resolved', starting_commit: commitOf(checkout, { branch, login }, answer) }
}

async function profile(clone: Clone): Promise<void> {
  clone.found = { profile: profileRecord(await examined(clone.checkout, clone.row)) }
}

/** Chosen once, from what the Node has and the source accepts (RTX-116). */
async function choosePhp(clone: Clone): Promise<void> {
  const { deps, checkout, row } = clone
  const { profile: record } = row
  // A package is served as files (PRJ-017).
  if (!record?.php || !projectTypeRules[checkout.project.type].runsPhp) return
  const version = await deps.php.versionFor(checkout.session, {
    checkoutPath: row.checkout_path,
    directory: record.application_directory,
    recorded: record.php_version,
  })
  if (version !== null) clone.found = { profile: { ...record, php_version: version } }
}

/** Of one moment, while the candidate keeps writing. */
async function seedDatabase({ checkout: { session }, seed, row }: Clone): Promise<void> {
  const { production_home: home } = row
  if (!seed || home === null) throw fail('instance.clone_failed')
  const target = { session, path: homePaths(home).sqlite, root: home }
  const answer = await carrySqlite(seed, target, `clone-${row.id}`)
  if ('problem' in answer)
    throw seedFailed(answer, {
      path: answer.end === 'source' ? seed.path : target.path,
      source: seed.session.node,
      destination: session.node,
    })
}

async function copyEnvironment({ deps, row, seed }: Clone): Promise<void> {
  const { clone_candidate_id: from, id: to, production_home: home } = row
  if (from === null) throw fail('instance.clone_failed')
  const framework = row.profile?.framework ?? null
  const target = seed && home !== null ? homePaths(home).sqlite : undefined
  await deps.environments.copy({
    from,
    to,
    set: new Map([
      ...(target === undefined ? [] : seedValues(framework, target)),
      ...productionValues(framework),
    ]),
    moved: seed && target !== undefined ? { from: seed.path, to: target } : undefined,
  })
}
