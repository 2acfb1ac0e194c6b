import assert from 'node:assert/strict'
import type { InputOf } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import {
  addInstance,
  addNode,
  addProject,
  addRoute,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'

type Input = Omit<InputOf<'project:update'>, 'project'>

const update = (fleet: NodesFleet, project: number, given: Input) =>
  fleet.projects.handlers['project:update']({ call: fakeCall(), input: { project, ...given } })

const stored = (fleet: NodesFleet, id: number) => fleet.projects.projects.find(id)

async function withInstance(fleet: NodesFleet, project: number): Promise<void> {
  const node = await addNode(fleet.store)
  await addInstance(fleet.store, { project_id: project, node_id: node.id })
}

forEachDialect(
  'type, access and task settings apply at once, with Instances too [PRJ-029, PRJ-040]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    await withInstance(fleet, project.id)
    const given = {
      type: 'laravel-package',
      task_check: 'x',
      task_workspace_routed: false,
      merge_check: 'ci',
      review_and_merge: true,
      task_compute: 'vm',
    } as const
    const { data } = await update(fleet, project.id, given)
    assert.deepEqual({ ...data, ...given }, data)
    assert.deepEqual((await update(fleet, project.id, given)).data, data)
    assert.equal((await update(fleet, project.id, { task_check: null })).data.task_check, null)
  },
)

forEachDialect(
  'slug, repository, branch and root apply while there is no Instance [PRJ-029, PRJ-040]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    const repository_url = 'git@git.example.com:acme/new.git'
    fleet.git.remotes.set(repository_url, ['main', 'next'])
    const given = { slug: 'new', repository_url, default_branch: 'next', root: 'packages/a' }
    const { data } = await update(fleet, project.id, given)
    assert.deepEqual({ ...data, ...given, code: project.code }, data)
    assert.equal((await stored(fleet, project.id))?.repository_identity, 'git.example.com/acme/new')
    assert.deepEqual(fleet.git.asked, [`next ${repository_url}`])
  },
)

forEachDialect(
  'with an Instance those four ask its checkout first, and are rolled back where that does not answer',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    await withInstance(fleet, project.id)
    const others = {
      slug: 'new',
      repository_url: 'https://git.example.com/x',
      default_branch: 'next',
      root: 'a',
    } as const
    fleet.git.remotes.set(others.repository_url, ['main']).set(project.repository_url, ['next'])
    for (const member of ['slug', 'repository_url', 'default_branch', 'root'] as const) {
      await assert.rejects(update(fleet, project.id, { [member]: others[member], task_check: 'x' }), {
        code: 'instance.source_path_mismatch',
      })
      const { state, requested, failed_step } = await fleet.store.db
        .selectFrom('project_updates')
        .selectAll()
        .executeTakeFirstOrThrow()
      assert.deepEqual(
        [state, requested, failed_step],
        ['rolled_back', { [member]: others[member], task_check: 'x' }, 'preflight'],
      )
    }
    assert.deepEqual(await stored(fleet, project.id), project)
    const { slug, repository_url, default_branch, root } = project
    const same = { slug, repository_url, default_branch: default_branch ?? '', root: root ?? '' }
    assert.equal((await update(fleet, project.id, same)).data.slug, slug)
  },
)

forEachDialect(
  'while an update has not finished, others are refused and no Instance is reserved [PRJ-045]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    await withInstance(fleet, project.id)
    await assert.rejects(update(fleet, project.id, { slug: 'new' }), {
      code: 'instance.source_path_mismatch',
    })
    const { db } = fleet.store
    await db.updateTable('project_updates').set({ state: 'prepared' }).execute()
    const refused = { code: 'project.update_in_progress', status: 409 }
    await assert.rejects(update(fleet, project.id, { slug: 'other' }), refused)
    await assert.rejects(update(fleet, project.id, { task_check: 'x' }), refused)
    const { projects, handlers } = fleet.projects
    const shown = async () =>
      (await handlers['project:show']({ call: fakeCall(), input: { project: project.id } })).data.open_update
    const { started_at, ...open } = (await shown()) ?? {}
    assert.deepEqual(open, {
      state: 'prepared',
      request: { slug: 'new' },
      failed_step: 'preflight',
      error_code: 'instance.source_path_mismatch',
    })
    assert.ok(started_at)
    await assert.rejects(
      projects.withLock(fakeCall(), project.id, async () => undefined),
      refused,
    )
    await assert.rejects(projects.requireSettled(project.id), refused)
    for (const state of ['complete', 'rolled_back'] as const) {
      await db.updateTable('project_updates').set({ state }).execute()
      assert.equal(await shown(), null)
      await projects.withLock(fakeCall(), project.id, () => projects.requireSettled(project.id))
      await update(fleet, project.id, { task_check: state })
    }
  },
)

forEachDialect('the code changes alone and stays unique [PRJ-003, PRJ-053]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [project] = [
    await addProject(fleet.store, { code: 'AAA' }),
    await addProject(fleet.store, { code: 'BBB' }),
  ]
  await assert.rejects(update(fleet, project.id, { code: 'CCC', slug: 'x' }), {
    code: 'project.code_update_separate',
    status: 422,
  })
  await assert.rejects(update(fleet, project.id, { code: 'ccc' }), {
    code: 'project.invalid_code',
    status: 422,
  })
  await assert.rejects(update(fleet, project.id, { code: 'BBB' }), {
    code: 'project.code_conflict',
    status: 409,
  })
  assert.equal((await update(fleet, project.id, { code: 'AAA' })).data.code, 'AAA')
  assert.equal((await update(fleet, project.id, { code: 'CCC' })).data.code, 'CCC')
})

forEachDialect('values of another Project are conflicts [PRJ-036, PRJ-051]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [project, other] = [await addProject(fleet.store), await addProject(fleet.store)]
  const details = { project: { id: other.id, slug: other.slug } }
  await assert.rejects(update(fleet, project.id, { slug: other.slug }), {
    code: 'project.slug_conflict',
    details,
  })
  const moved = update(fleet, project.id, { repository_url: `git@git.example.com:acme/${other.slug}` })
  await assert.rejects(moved, { code: 'project.repository_identity_conflict', details })
})

forEachDialect(
  'two Projects that take one slug at once: one wins, one is refused [PRJ-051]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const projects = [await addProject(fleet.store), await addProject(fleet.store)]
    const outcomes = await Promise.allSettled(projects.map(({ id }) => update(fleet, id, { slug: 'wanted' })))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.equal(refused[0]?.reason.code, 'project.slug_conflict')
  },
)

forEachDialect('a branch or repository is checked on the remote first [PRJ-032]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store)
  fleet.git.remotes.set(project.repository_url, ['main'])
  const code = 'project.default_branch_unavailable'
  await assert.rejects(update(fleet, project.id, { default_branch: 'next' }), { code })
  await assert.rejects(update(fleet, project.id, { repository_url: 'https://git.example.com/gone' }), {
    code,
  })
  assert.deepEqual(await stored(fleet, project.id), project)
})

forEachDialect('access alone changes without a question to the remote [PRJ-032]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store, {
    repository_url: 'https://github.com/acme/shop',
    repository_identity: 'github.com/acme/shop',
  })
  fleet.git.githubLogin = true
  const { data } = await update(fleet, project.id, { source_access: 'gh_cli' })
  assert.deepEqual([data.source_access, fleet.git.asked], ['gh_cli', []])
})

forEachDialect(
  'review and merge needs a check and the GitHub app, and keeps needing them [PRJ-013, PRJ-050]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store, {
      repository_url: 'https://github.com/acme/shop',
      repository_identity: 'github.com/acme/shop',
    })
    fleet.git.githubLogin = true
    const refusal = { code: 'validation.failed', status: 422 }
    await assert.rejects(update(fleet, project.id, { review_and_merge: true }), refusal)
    await assert.rejects(
      update(fleet, project.id, { review_and_merge: true, merge_check: 'ci', source_access: 'gh_cli' }),
      refusal,
    )
    assert.equal(
      (await update(fleet, project.id, { review_and_merge: true, merge_check: 'ci' })).data.review_and_merge,
      true,
    )
    await assert.rejects(update(fleet, project.id, { merge_check: null }), refusal)
    await assert.rejects(update(fleet, project.id, { source_access: 'gh_cli' }), refusal)
  },
)

/** Runs once, while the gateway asks whether `gh` is logged in: before the update that asks is stored. */
function meanwhile(fleet: NodesFleet, work: () => Promise<unknown>): void {
  let isDone = false
  fleet.git.githubToken = async () => {
    if (!isDone) {
      isDone = true
      await work()
    }
    return new Secret('gh-token')
  }
}

const GITHUB = {
  repository_url: 'https://github.com/acme/shop',
  repository_identity: 'github.com/acme/shop',
} as const

forEachDialect(
  'two updates at once store nothing that the rules forbid, and both what they allow [PRJ-050]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { id } = await addProject(fleet.store, GITHUB)
    const gated = { review_and_merge: true, merge_check: 'ci' }
    meanwhile(fleet, () => update(fleet, id, gated))
    await assert.rejects(update(fleet, id, { source_access: 'gh_cli' }), { code: 'validation.failed' })
    const { data } = await update(fleet, id, { task_check: 'x' })
    assert.deepEqual({ ...data, ...gated, source_access: 'github_app' }, data)
    await update(fleet, id, { review_and_merge: false })
    meanwhile(fleet, () => update(fleet, id, { task_check: 'y' }))
    const { data: both } = await update(fleet, id, { source_access: 'gh_cli' })
    assert.deepEqual([both.source_access, both.task_check], ['gh_cli', 'y'])
  },
)

forEachDialect(
  'an update that asks while the change of another request begins waits for its end [PRJ-045]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store, GITHUB)
    await withInstance(fleet, project.id)
    // Its checkout does not answer, so the change is rolled back; it is open again as when that did not end.
    meanwhile(fleet, async () => {
      await assert.rejects(update(fleet, project.id, { root: 'a' }), {
        code: 'instance.source_path_mismatch',
      })
      await fleet.store.db.updateTable('project_updates').set({ state: 'rolling_back' }).execute()
    })
    const asked = update(fleet, project.id, { source_access: 'gh_cli' })
    await assert.rejects(asked, { code: 'project.update_in_progress' })
    assert.deepEqual(await stored(fleet, project.id), project)
  },
)

forEachDialect(
  'rules of source and type hold for the record as it would be [PRJ-005, PRJ-015, PRJ-037, PRJ-038]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    const cases: readonly Input[] = [
      { type: 'monorepo' },
      { root: '../x' },
      { repository_url: 'http://x/y' },
      { default_branch: 'a..b' },
      { source_access: 'gh_cli' },
    ]
    for (const given of cases)
      await assert.rejects(update(fleet, project.id, given), { code: 'validation.failed' })
    const github = await addProject(fleet.store, { repository_url: 'https://github.com/acme/shop' })
    const refused = update(fleet, github.id, { source_access: 'gh_cli' })
    await assert.rejects(refused, { code: 'github.cli_unauthenticated' })
  },
)

forEachDialect(
  'a type that an Instance cannot have is refused, and its root or its missing Route is named [PRJ-015, PRJ-016]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { store } = fleet
    const project = await addProject(store)
    const node = await addNode(store)
    const at = { project_id: project.id, node_id: node.id }
    const plain = await addInstance(store, { ...at, name: 'default' })
    const dot = await addInstance(store, { ...at, name: 'dot', root: '.' })
    await store.db.updateTable('projects').set({ root: 'public' }).execute()
    for (const type of ['monorepo', 'laravel-app'] as const)
      await assert.rejects(update(fleet, project.id, { type }), {
        code: 'validation.failed',
        details: {
          errors: {
            type: [`the root of the Instance dot (${dot.id}) must not be the repository root for ${type}`],
          },
        },
      })
    await store.db.updateTable('instances').set({ root: 'web' }).where('id', '=', dot.id).execute()
    assert.equal((await update(fleet, project.id, { type: 'monorepo' })).data.type, 'monorepo')
    await addRoute(store, plain)
    const refused = () => update(fleet, project.id, { type: 'laravel-app' })
    await assert.rejects(refused(), {
      code: 'instance.route_required',
      status: 409,
      details: { type: 'laravel-app', instances: [{ id: dot.id, name: 'dot' }] },
    })
    // One that is being created becomes active as it was reserved.
    await store.db.updateTable('instances').set({ status: 'reserved' }).where('id', '=', dot.id).execute()
    await assert.rejects(refused(), {
      code: 'instance.lifecycle_conflict',
      status: 409,
      message: new RegExp(`fleet instance:destroy ${dot.id}. \\(dot\\)`),
      details: { type: 'laravel-app', instances: [{ id: dot.id, name: 'dot' }] },
    })
    assert.equal((await update(fleet, project.id, { type: 'laravel-package' })).data.type, 'laravel-package')
    assert.equal((await update(fleet, project.id, { type: 'monorepo' })).data.type, 'monorepo')
    await store.db.updateTable('instances').set({ status: 'active' }).where('id', '=', dot.id).execute()
    // A Route of a further directory is none of its own.
    await addRoute(store, dot, { web_root: 'docs', domain: 'docs.example' })
    await assert.rejects(refused(), { code: 'instance.route_required' })
    await store.db.updateTable('instances').set({ status: 'removing' }).where('id', '=', dot.id).execute()
    assert.equal((await refused()).data.type, 'laravel-app')
  },
)

forEachDialect('an empty update and an unknown Project are refused [PRJ-029, PRJ-051]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store)
  await assert.rejects(update(fleet, project.id, {}), { code: 'project.update_required', status: 422 })
  await assert.rejects(update(fleet, 99, { task_check: 'x' }), { code: 'project.not_found' })
})

forEachDialect('a move waits for nobody who holds the Project', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store)
  await fleet.projects.projects.withLock(fakeCall(), project.id, async () => {
    await assert.rejects(update(fleet, project.id, { slug: 'new' }), { code: 'project.lifecycle_busy' })
    // Whoever reserves an Instance decides by the type whether it gets a Route.
    await assert.rejects(update(fleet, project.id, { type: 'laravel-package' }), {
      code: 'project.lifecycle_busy',
    })
    assert.equal((await update(fleet, project.id, { task_check: 'x' })).data.task_check, 'x')
  })
})
