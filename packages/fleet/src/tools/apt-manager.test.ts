import assert from 'node:assert/strict'
import type { CommandResult } from '@fleet/ssh'
import {
  addNode,
  answerText,
  fakeCall,
  FakeClock,
  forEachDialect,
  nodeRecord,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { type NodeSession, makeSession } from '#/nodes/api.ts'
import { findManager } from '#/tools/queries.ts'

const machineThat = (id: number, says: () => Promise<Partial<CommandResult>>): NodeSession => {
  const send = async (): Promise<CommandResult> => ({
    exitCode: 0,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
    ...(await says()),
  })
  return makeSession({ call: fakeCall(), node: nodeRecord({ id }), login: 'root', send })
}

const saying = (text: string) => async (): Promise<Partial<CommandResult>> => ({
  stdout: Buffer.from(answerText({ version: text })),
})

forEachDialect(
  'the apt manager of a Node is recorded with its version, again and again [NODE-054]',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const { id } = await addNode(store)
    const { toolManagers } = testDomains({ store, clock }).tools
    const seen: unknown[] = []
    const looking = async (): Promise<Partial<CommandResult>> => {
      seen.push((await findManager(store.db, id, 'apt'))?.status)
      return saying('2.6.1')()
    }
    await toolManagers.ensureApt(machineThat(id, looking))
    await toolManagers.ensureApt(machineThat(id, saying('2.9.8~rc1')))
    const row = await findManager(store.db, id, 'apt')
    assert.deepEqual(seen, ['provisioning'])
    assert.deepEqual(
      [row?.name, row?.status, row?.installed_version, row?.failed_step, row?.error_code],
      ['apt', 'active', '2.9.8~rc1', null, null],
    )
  },
)

forEachDialect(
  'a machine without a working apt leaves step and code on the manager, which the next look clears',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const { id } = await addNode(store)
    const { toolManagers } = testDomains({ store, clock }).tools
    for (const bad of [
      saying(''),
      saying('no version'),
      async () => ({ ...(await saying('2.6.1')()), exitCode: 1 }),
      async () => ({}),
    ]) {
      const code = 'node.tool_manager_materialization_failed'
      await assert.rejects(toolManagers.ensureApt(machineThat(id, bad)), { code })
      const row = await findManager(store.db, id, 'apt')
      assert.deepEqual([row?.status, row?.failed_step, row?.error_code], ['failed', 'materialize', code])
    }
    await toolManagers.ensureApt(machineThat(id, saying('2.6.1')))
    assert.deepEqual((await findManager(store.db, id, 'apt'))?.error_code, null)
  },
)

forEachDialect('while somebody uses apt on the Node nobody waits for it [NODE-054]', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  const { id } = await addNode(store)
  await using _ = await store.locks.acquire({
    name: `node:${id}:tool-manager:apt`,
    operation: 'tool:install',
    requestId: 'request-1',
    waitMilliseconds: 0,
    leaseSeconds: 600,
  })
  const ensured = testDomains({ store, clock }).tools.toolManagers.ensureApt(machineThat(id, saying('2.6.1')))
  await assert.rejects(ensured, { code: 'node.tool_manager_locked' })
  assert.equal(await findManager(store.db, id, 'apt'), undefined)
})
