import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall, nodeRecord, openTestStore } from '@fleet/testing'
import { instanceRegistration, type Registration } from '#/instances/steps/registration.ts'

const NODE = { id: 3, name: 'web' }
const COMMIT = 'a'.repeat(40)
const ADOPTED = { word: 'adopted', isCopy: true, head: 'refs/heads/main', commit: COMMIT }

interface Given {
  /** What the Node answers. */
  readonly answer?: object
  readonly name?: string
  /** Status of the Instance with the repository, of a linked worktree. */
  readonly main?: string
}

async function adopt({ answer = ADOPTED, name = 'wip', main }: Given = {}) {
  await using store = await openTestStore()
  const asked: unknown[] = []
  const session = {
    call: fakeCall(),
    node: nodeRecord(NODE),
    ask: async (_script: unknown, request: unknown) => (asked.push(request), answer),
  }
  const registration = {
    checkout: { session, project: { root: null }, isNew: true },
    row: { id: 7, name, checkout_path: '/apps/shop/wip', preparation_id: 'p', root: null },
    source: { source_path: '/srv/wip', has_copy: 0 },
    main: main === undefined ? undefined : { id: 5, name: 'default', checkout_path: '/apps/shop/default' },
    store,
    queries: { find: async (id: number) => ({ id, status: main }) },
    registrations: { update: async (id: number, isCopy: boolean) => ({ id, isCopy }) },
  } as unknown as Registration // What this step reads of one.
  const [step] = instanceRegistration.stepsFor(registration)
  assert.equal(step?.name, 'adopt')
  await step.run(registration)
  return { asked, found: registration.found, source: registration.source }
}

const refusalOf = (given: Given): Promise<CodedError> =>
  adopt(given).then(
    () => assert.fail('it was adopted'),
    (error: unknown) => {
      assert.ok(error instanceof CodedError)
      return error
    },
  )

test('what was adopted is recorded with its branch and its commit, a detached one without a branch', async () => {
  const { asked, found, source } = await adopt()
  assert.deepEqual(asked, [
    {
      checkoutPath: '/apps/shop/wip',
      preparationId: 'p',
      sourcePath: '/srv/wip',
      applicationDirectory: '',
      mainPath: undefined,
    },
  ])
  const adopted = { status: 'source_resolved', selected_branch: 'main', detached: 0, starting_commit: COMMIT }
  assert.deepEqual([found, source], [adopted, { id: 7, isCopy: true }])
  assert.deepEqual((await adopt({ answer: { ...ADOPTED, head: COMMIT, commit: '' } })).found, {
    ...adopted,
    selected_branch: null,
    detached: 1,
    starting_commit: null,
  })
})

test('a linked worktree is adopted only while the Instance with its repository is active', async () => {
  const { asked } = await adopt({ main: 'active' })
  assert.deepEqual(
    asked.map((request) => (request as { readonly mainPath: string }).mainPath), // A request of this step.
    ['/apps/shop/default'],
  )
  const { code, message, details } = await refusalOf({ main: 'removing' })
  assert.deepEqual(
    [code, message, details],
    [
      'instance.source_layout_mismatch',
      'Instance default, which has the repository of the worktree, is being removed.',
      { node: NODE },
    ],
  )
})

const SOURCE = { source_path: '/srv/wip' }
const PLACE = { checkout_path: '/apps/shop/wip' }
const REFUSED: ReadonlyArray<readonly [word: string, code: string, details: object, name?: string]> = [
  ['absent', 'instance.source_path_mismatch', SOURCE],
  ['holds-managed', 'instance.identity_conflict', SOURCE],
  ['changed', 'instance.source_changed', SOURCE],
  ['root-unusable', 'node.settings_root_failed', SOURCE],
  ['occupied', 'instance.path_taken', PLACE],
  ['occupied', 'instance.default_path_occupied', PLACE, 'default'],
  ['git-missing', 'node.capability_missing', { capability: 'git' }],
  ['storage-full', 'instance.source_failed', { step: 'adopt', reason: 'storage_full' }],
  ['storage-read-only', 'instance.source_failed', { step: 'adopt', reason: 'storage_read_only' }],
  ['root-missing', 'instance.source_failed', { step: 'directory' }],
  ['folder-missing', 'instance.source_failed', { step: 'directory' }],
  ['foreign', 'instance.source_failed', { step: 'directory' }],
  ['unsafe', 'instance.checkout_path_unsafe', {}],
  ['busy', 'instance.lifecycle_busy', { outcome: 'busy' }],
  ['failed', 'instance.source_failed', { step: 'adopt' }],
]
for (const [word, code, details, name = 'wip'] of REFUSED)
  test(`a checkout of which the Node answers ${word} becomes no Instance ${name}: ${code}`, async () => {
    const refusal = await refusalOf({ answer: { word }, name })
    assert.deepEqual([refusal.code, refusal.details], [code, { node: NODE, ...details }])
  })
