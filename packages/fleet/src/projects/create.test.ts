import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type InputOf, project } from '@fleet/contract'
import { addProject, fakeCall, forEachDialect, startNodesFleet, type NodesFleet } from '@fleet/testing'

type Input = InputOf<'project:create'>

const URL = 'https://git.example.com/acme/shop.git'
const minimal: Input = { slug: 'shop', type: 'node-package', repository_url: URL, root: '.' }

async function startFleet(dialect: Parameters<typeof startNodesFleet>[0]): Promise<NodesFleet> {
  const fleet = await startNodesFleet(dialect)
  fleet.git.remotes.set(URL, ['trunk', 'main'])
  return fleet
}

const create = (fleet: NodesFleet, given: Partial<Input> = {}) =>
  fleet.projects.handlers['project:create']({ call: fakeCall(), input: { ...minimal, ...given } })

const count = async ({ store }: NodesFleet): Promise<number> =>
  (await store.db.selectFrom('projects').select('id').execute()).length

forEachDialect(
  'what is left out gets its default; the branch is read from the remote once [PRJ-002, PRJ-006, PRJ-011, PRJ-012, PRJ-018, PRJ-028, PRJ-032]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const { data, created } = await create(fleet)
    assert.equal(created, true)
    assert.deepEqual(data, {
      id: data.id,
      slug: 'shop',
      name: 'shop',
      code: 'SHO',
      type: 'node-package',
      repository_url: URL,
      source_access: 'github_app',
      default_branch: 'trunk',
      root: '.',
      defaults: null,
      task_check: null,
      task_workspace_routed: true,
      task_compute: 'shared',
      review_and_merge: false,
      merge_check: null,
    })
    assert.deepEqual(project.parse(data), data)
    assert.deepEqual(fleet.git.asked, [`default of ${URL}`])
  },
)

forEachDialect(
  'a key that the repository was given goes when its Project does without it',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const keyOf = (repository: string) =>
      fleet.store.db
        .insertInto('deploy_keys')
        .values({
          repository,
          status: 'pending',
          private_key: '',
          public_key: '',
          fingerprint: repository,
          created_at: '2026-01-02T03:04:05.000Z',
        })
        .execute()
    await keyOf('git.example.com/acme/shop')
    await keyOf('git.example.com/acme/other')
    await create(fleet)
    const left = await fleet.store.db.selectFrom('deploy_keys').select('repository').execute()
    assert.deepEqual(left, [{ repository: 'git.example.com/acme/other' }])
  },
)

forEachDialect('every member is stored as sent [PRJ-009, PRJ-010, PRJ-028]', async (dialect) => {
  await using fleet = await startFleet(dialect)
  const sent = {
    name: 'The shop',
    code: 'ZZZ',
    default_branch: 'main',
    defaults: { php: '8.4', nested: { a: [1, null] } },
    task_check: 'npm test',
    task_workspace_routed: false,
    task_compute: 'vm',
  } as const
  const { data } = await create(fleet, sent)
  assert.deepEqual({ ...data, ...sent }, data)
})

forEachDialect(
  'an exact repeat answers the stored Project and asks no remote [PRJ-028, PRJ-033]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const first = await create(fleet, { task_workspace_routed: false })
    fleet.git.remotes.clear()
    for (const given of [
      {},
      { default_branch: 'trunk' },
      { code: 'SHO' },
      { source_access: 'github_app' },
      { name: 'shop' },
    ] as const) {
      assert.deepEqual(await create(fleet, given), { data: first.data, created: false })
    }
    assert.equal(await count(fleet), 1)
    assert.equal(fleet.git.asked.length, 1)
  },
)

forEachDialect(
  'a repeat with any other value is a conflict, also with another form of the URL [PRJ-034]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const { data } = await create(fleet, { defaults: { a: 1 } })
    const others: readonly Partial<Input>[] = [
      { defaults: { a: 2 } },
      {},
      { defaults: { a: 1 }, repository_url: 'git@git.example.com:acme/shop.git' },
      { defaults: { a: 1 }, type: 'laravel-package' },
      { defaults: { a: 1 }, root: 'public' },
      { defaults: { a: 1 }, name: 'Shop' },
      { defaults: { a: 1 }, code: 'ABC' },
      { defaults: { a: 1 }, default_branch: 'main' },
      { defaults: { a: 1 }, task_check: 'x' },
      { defaults: { a: 1 }, task_workspace_routed: false },
      { defaults: { a: 1 }, task_compute: 'vm' },
    ]
    for (const given of others) {
      const members = Object.entries({ defaults: undefined, ...given }).flatMap(([member, value]) =>
        isDeepStrictEqual(value, { a: 1 }) ? [] : [member],
      )
      const named = members.map((member) => `\`${member}\``).join(', ')
      await assert.rejects(create(fleet, given), {
        code: 'project.identity_conflict',
        status: 409,
        message: `A Project with this slug already exists with different values. Different: ${named}.`,
        details: { project: { id: data.id, slug: 'shop' }, members },
      })
    }
  },
)

forEachDialect(
  'one repository belongs to one Project, whatever the form of its URL [PRJ-035, PRJ-036]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    await create(fleet)
    for (const repository_url of [
      URL,
      'git@git.example.com:acme/shop',
      'ssh://git@GIT.example.com:22/acme/shop.git/',
    ]) {
      const refused = create(fleet, { slug: 'other', repository_url })
      await assert.rejects(refused, { code: 'project.repository_identity_conflict', status: 409 })
    }
  },
)

forEachDialect(
  'a branch that the remote lacks, and a remote that cannot be read, store nothing [PRJ-032]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const code = 'project.default_branch_unavailable'
    await assert.rejects(create(fleet, { default_branch: 'nope' }), {
      code,
      message: 'The repository has no branch `nope`.',
      details: { reason: 'branch_missing', branch: 'nope' },
    })
    fleet.git.remotes.clear()
    await assert.rejects(create(fleet), { code, details: { reason: 'remote_unreadable' } })
    assert.equal(await count(fleet), 0)
  },
)

forEachDialect(
  'broken rules are named by member and ask no remote [PRJ-005, PRJ-015, PRJ-037]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const cases: readonly (readonly [Partial<Input>, string])[] = [
      [{ repository_url: 'ftp://git.example.com/shop' }, 'repository_url'],
      [{ type: 'laravel-app' }, 'root'],
      [{ default_branch: '-x' }, 'default_branch'],
      [{ source_access: 'gh_cli' }, 'source_access'],
    ]
    for (const [given, member] of cases) {
      await assert.rejects(create(fleet, given), ({ code, details }) => {
        assert.deepEqual([code, Object.keys(details.errors)], ['validation.failed', [member]])
        return true
      })
    }
    assert.deepEqual(fleet.git.asked, [])
  },
)

forEachDialect('gh_cli needs a login on the gateway [PRJ-038]', async (dialect) => {
  await using fleet = await startFleet(dialect)
  const given = { repository_url: 'https://github.com/acme/shop', source_access: 'gh_cli' } as const
  fleet.git.remotes.set(given.repository_url, ['main'])
  await assert.rejects(create(fleet, given), { code: 'github.cli_unauthenticated', status: 409 })
  fleet.git.githubLogin = true
  assert.equal((await create(fleet, given)).data.source_access, 'gh_cli')
})

forEachDialect('codes are three capitals, unique, and may run out [PRJ-003, PRJ-053]', async (dialect) => {
  await using fleet = await startFleet(dialect)
  await addProject(fleet.store, { code: 'SHO' })
  await assert.rejects(create(fleet, { code: 'Sho' }), { code: 'project.invalid_code', status: 422 })
  await assert.rejects(create(fleet, { code: 'SHO' }), { code: 'project.code_conflict', status: 409 })
  await assert.rejects(create(fleet, { slug: '42' }), { code: 'project.codes_exhausted', status: 409 })
  assert.equal((await create(fleet)).data.code, 'SHP')
})

forEachDialect(
  'identical creations at once store one Project, different ones each their own [PRJ-028]',
  async (dialect) => {
    await using fleet = await startFleet(dialect)
    const same = await Promise.all([create(fleet), create(fleet), create(fleet)])
    assert.equal(same.filter(({ created }) => created).length, 1)
    assert.equal(new Set(same.map(({ data }) => data.id)).size, 1)
    const slugs = ['web-a', 'web-b', 'web-c', 'web-d']
    const others = await Promise.all(
      slugs.map((slug) => {
        const repository_url = `https://git.example.com/acme/${slug}`
        fleet.git.remotes.set(repository_url, ['main'])
        return create(fleet, { slug, repository_url })
      }),
    )
    assert.equal(new Set(others.map(({ data }) => data.code)).size, slugs.length)
  },
)
