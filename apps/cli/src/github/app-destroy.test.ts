import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { EXIT } from '#/exit.ts'
import { makePerson } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const data = (value: unknown): Reply => ({ status: 200, body: { data: value, meta: { request_id: ID } } })
const app = { id: 1, slug: 'fleet', name: 'Fleet', owner: 'acme', url: 'https://github.test/apps/fleet' }

test('github:app:destroy says what is lost and what stays before it asks', async () => {
  let accounts: readonly string[] = []
  await using gateway = await startHttpsGateway(systemClock, ({ url }, { root }) =>
    url.startsWith('/api/v1/ca/root')
      ? data({ root_ca: root().certificate, sha256: root().sha256 })
      : data({ ...app, installations: accounts.map((account) => ({ account })) }),
  )
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const asked = async (): Promise<string> => {
    const { exit, err, questions } = await person.type(['github:app:destroy'], { isTerminal: true })
    assert.equal(exit, EXIT.usage)
    assert.deepEqual(questions, ['Forget the GitHub App of the gateway. Continue? [y/N] '])
    return err
  }
  assert.match(await asked(), /GitHub App Fleet\n {2}stays {4}the app at GitHub, https:\S+\n/)
  accounts = ['acme', 'else']
  assert.match(await asked(), /apps\/fleet, installed on acme, else\n {2}deleted {2}its private key/)
  assert.ok(!gateway.asked.some(({ method }) => method === 'DELETE'))
})
