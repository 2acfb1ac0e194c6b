import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestGateway } from './harness.ts'

test('Tools of a Node need a grant on it, an existing id and nothing else in the query [TOOL-006, TLX-001, TLX-002, ACC-018, ACC-021]', async () => {
  await using fleet = await startTestGateway()
  const { granted, ungranted } = fleet.nodes
  for (const path of ['tools', 'tool-managers', 'tool-inventory']) {
    const ask = (query: string) => fleet.ask('GET', `/api/v1/${path}${query}`, { from: 'ungranted' })
    const codeOf = async (query: string) => {
      const { status, json } = await ask(query)
      return [status, (json.error as { code: string } | undefined)?.code] // Errors have a code.
    }
    for (const id of [`${granted}`, `0${granted}`, `000${granted}`])
      assert.deepEqual(await codeOf(`?node_id=${id}`), [403, 'node_access.required'], `${path} ${id}`)
    assert.deepEqual(await codeOf('?node_id=99999'), [404, 'node.not_found'], path)
    for (const query of ['', '?node_id=x', '?node_id=0', `?node_id=${ungranted}&foo=1`])
      assert.deepEqual(await codeOf(query), [422, 'validation.failed'], `${path}${query}`)
  }
  const list = await fleet.ask('GET', `/api/v1/tools?node_id=${ungranted}`, { from: 'ungranted' })
  assert.deepEqual([list.status, list.json.data], [200, []])
})

test('an installation takes four members, and an id that is a number; only what is about Tools has a step and an outcome [TOOL-010, TLX-007, TLX-019, TLX-041, TLX-042]', async () => {
  await using fleet = await startTestGateway()
  const node_id = fleet.nodes.ungranted
  const install = async (given: object, path = 'tools') => {
    const body = { node_id, manager: 'apt', package: 'jq', ...given }
    const { status, json } = await fleet.ask('POST', `/api/v1/${path}`, { from: 'ungranted', body })
    const { code, details } = json.error as { code: string; details?: object } // Each is refused.
    const isAboutTools = code.startsWith('tool.')
    const step = isAboutTools ? (path === 'tools' ? 'install' : 'adopt') : undefined
    const { outcome, ...more }: Record<string, unknown> = { ...details }
    assert.deepEqual([more['step'], outcome !== undefined], [step, isAboutTools], code)
    // No Tool is recorded, and nothing was looked at that could not be adopted.
    assert.ok(!('id' in more) && !('adoption_block' in more), code)
    return [status, code]
  }
  for (const path of ['tools', 'tools/adopt']) {
    for (const given of [
      { node_id: String(node_id) },
      { extra: 1 },
      { manager: 'pip' },
      { package: '' },
      { package: 'x'.repeat(256) },
      { version_constraint: 'x'.repeat(256) },
    ])
      assert.deepEqual(await install(given, path), [422, 'validation.failed'], JSON.stringify(given))
    assert.deepEqual(await install({ node_id: fleet.nodes.granted }, path), [403, 'node_access.required'])
    // What is wrong with the request itself comes before what the Node lacks.
    for (const [given, code] of [
      [{ package: '../x' }, 'tool.package_invalid'],
      [{ version_constraint: 'newest' }, 'tool.constraint_invalid'],
    ] as const)
      assert.deepEqual(await install(given, path), [422, code])
    // A Node of this machine has no package manager of its own.
    assert.deepEqual(await install({}, path), [409, 'node.capability_missing'])
  }
})
