import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addProject } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const lists = [
  {
    path: 'setup-steps',
    operations: [
      'project:setup-step:create',
      'project:setup-step:update',
      'project:setup-step:list',
      'project:setup-step:destroy',
    ],
  },
  {
    path: 'teardown-steps',
    operations: [
      'project:teardown-step:create',
      'project:teardown-step:update',
      'project:teardown-step:list',
      'project:teardown-step:destroy',
    ],
  },
] as const

for (const { path, operations } of lists) {
  test(`${path} are created, changed, listed and removed, each on record without the command [PRJ-056, PRJ-057, PRJ-075]`, async () => {
    const project = await addProject(fleet.store)
    const base = `/api/v1/projects/${project.id}/${path}`
    const body = { name: 'build', command: 'echo canary-of-a-step', timeout_seconds: 30 }
    assert.equal((await fleet.ask('POST', base, { body })).status, 201)
    assert.equal((await fleet.ask('POST', base, { body })).status, 200)
    const changed = await fleet.ask('PATCH', `${base}/build`, { body: { timeout_seconds: 60 } })
    assert.deepEqual(changed.json.data, { ...body, timeout_seconds: 60, position: 1 })
    assert.deepEqual((await fleet.ask('GET', base)).json.data, [changed.json.data])
    assert.equal((await fleet.ask('DELETE', `${base}/build`)).status, 200)
    assert.deepEqual((await fleet.ask('GET', base)).json.data, [])
    const gone = await fleet.ask('DELETE', `${base}/build`)
    assert.deepEqual([gone.status, gone.json.error.code], [404, 'lifecycle_step.not_found'])
    for (const command of operations) {
      const rows = await fleet.ask('GET', `/api/v1/activities?command=${command}`)
      assert.ok(rows.json.data.length > 0, command)
      assert.ok(!rows.text.includes('canary-of-a-step'))
    }
  })

  test(`a step of ${path} refuses both neighbours, a bad name and a command beyond its bounds [PRJ-058, PRJ-059, PRJ-061]`, async () => {
    const project = await addProject(fleet.store)
    const base = `/api/v1/projects/${project.id}/${path}`
    const refused = [
      { name: 'a', command: 'true', before: 'b', after: 'c' },
      { name: '-a', command: 'true' },
      { name: 'a', command: '' },
      { name: 'a', command: 'x'.repeat(16 * 1024 + 1) },
      { name: 'a', command: 'true', timeout_seconds: 541 },
    ]
    for (const body of refused) {
      const { status, json } = await fleet.ask('POST', base, { body })
      assert.deepEqual(
        [status, json.error.code],
        [422, 'validation.failed'],
        JSON.stringify(body).slice(0, 60),
      )
    }
    assert.deepEqual((await fleet.ask('GET', base)).json.data, [])
  })
}
