import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProject, fakeCall, forEachDialect, openTestStore, testDomains } from '@fleet/testing'
import { requireSsh } from '#/projects/deploy-keys.ts'

const AT = '2026-01-02T03:04:05.000Z'

forEachDialect(
  'the keys of a Project are shown and removed together, and those of another one stay',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const { handlers } = testDomains({ store }).projects
    const [shop, blog] = [
      await addProject(store, { slug: 'shop', repository_url: 'git@git.test:acme/shop.git' }),
      await addProject(store, { slug: 'blog', repository_url: 'git@git.test:acme/blog.git' }),
    ]
    for (const [project_id, status, name] of [
      [shop.id, 'pending', 'next'],
      [shop.id, 'active', 'first'],
      [blog.id, 'active', 'other'],
    ] as const)
      await store.db
        .insertInto('deploy_keys')
        .values({
          project_id,
          repository: null,
          status,
          private_key: '',
          public_key: `ssh-ed25519 ${name}`,
          fingerprint: `SHA256:${name}`,
          created_at: AT,
        })
        .execute()
    const call = fakeCall()
    const show = ({ id }: { readonly id: number }) =>
      handlers['project:deploy-key:show']({ call, input: { project: id } })
    const destroy = () => handlers['project:deploy-key:destroy']({ call, input: { project: shop.id } })
    const shown = await show(shop)
    assert.deepEqual(shown.data, {
      project: { id: shop.id, slug: 'shop' },
      status: 'active',
      public_key: 'ssh-ed25519 first',
      fingerprint: 'SHA256:first',
      created_at: AT,
      next: { public_key: 'ssh-ed25519 next', fingerprint: 'SHA256:next', created_at: AT },
      host: { host: 'git.test', port: 22, keys: [] },
    })
    assert.deepEqual((await destroy()).data, {
      project: { id: shop.id, slug: 'shop' },
      fingerprints: ['SHA256:first', 'SHA256:next'],
    })
    assert.equal(call.notes.subject, `project:${shop.id}`)
    for (const again of [destroy, () => show(shop)])
      await assert.rejects(again(), { code: 'project.deploy_key_missing', status: 404 })
    assert.equal((await show(blog)).data.fingerprint, 'SHA256:other')
  },
)

test('a key is for a repository that is read over SSH', () => {
  assert.deepEqual(requireSsh('git@git.test:acme/shop.git'), { host: 'git.test', port: 22 })
  const address = 'https://git.test/acme/shop.git'
  assert.throws(() => requireSsh(address), { code: 'project.deploy_key_needs_ssh' })
  assert.throws(() => requireSsh(address, { isNew: true }), {
    code: 'project.deploy_key_needs_ssh',
    message: /Create the Project with that of the same repository, `git@HOST:PATH`/,
  })
})
