import assert from 'node:assert/strict'
import { repairOf } from '@fleet/contract'
import { addInstance, addNode, addProject, forEachDialect, testDomains } from '@fleet/testing'
import { create, REGISTRATIONS, startWorld } from '#/databases/world.test.ts'
import type { NodeRecord } from '#/nodes/api.ts'

forEachDialect(
  'a connection that is gone, and stored keys that differ from it, are reported at the Node of the Instance, and the command clears them [DBD-002, DBD-004, DBD-005]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { store, databases, call } = world
    const node = await addNode(store, { roles: ['app-dev'] })
    const project = await addProject(store)
    const profile = { application_directory: '', framework: null, php: false }
    const { id: instance } = await addInstance(store, { project_id: project.id, node_id: node.id, profile })
    const { environment } = testDomains({ store })
    const findings = async (): Promise<readonly string[]> => {
      const checks = await databases.attachmentChecks.checksOf(call(), node as unknown as NodeRecord) // Only its id is read.
      const found: string[] = []
      for (const check of checks) {
        assert.equal(check.kind, 'stored')
        const judge = check.judge as () => Promise<object | undefined> // A stored one.
        const verdict = await judge()
        if (!verdict) continue
        const issue = { node_id: node.id, node_name: '', resource_name: check.resource.name }
        const { command } = repairOf(check.code, { ...issue, resource_id: check.resource.id })
        found.push(`${check.code}: ${Object.values(verdict).join(' / ')}: ${command ?? '-'}`)
      }
      return found
    }
    const attach = (slug: string, prefix: string) =>
      databases.handlers['instance:database:add']({ call: call(), input: { instance, slug, prefix } })
    await create(world, REGISTRATIONS.pgsql)
    await create(world, REGISTRATIONS.sqlite)
    await attach('pg', 'DB')
    await attach('lite', 'LITE')
    assert.deepEqual(await findings(), [])
    await environment.handlers['env:update']({
      call: call(),
      input: { instance, key: 'DB_HOST', value: 'x' },
    })
    await environment.handlers['env:update']({
      call: call(),
      input: { instance, key: 'LITE_HOST', value: 'x' },
    })
    const differs = 'database_connection.env_mismatch: the keys of the connection'
    assert.deepEqual(await findings(), [
      `${differs} / DB_HOST differ: instance:database:add ${instance} pg`,
      `${differs} / LITE_HOST differ: instance:database:add ${instance} lite --prefix LITE`,
    ])
    await attach('pg', 'DB')
    await attach('lite', 'LITE')
    assert.deepEqual(await findings(), [])
    await store.db.deleteFrom('database_connections').where('slug', '=', 'lite').execute()
    assert.deepEqual(await findings(), ['database_connection.missing: an existing connection / none: -'])
    await store.db.updateTable('environment_values').set({ value: 'broken' }).execute()
    assert.ok((await findings())[0]?.includes('the password or the configuration cannot be decrypted'))
  },
)
