import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTerminal } from '#/fake-terminal.ts'
import { routeShow } from './route-show.ts'

const route = {
  id: 9,
  kind: 'app',
  project_id: 1,
  node_id: 3,
  cluster_id: null,
  generation_basis_node_id: 3,
  domain: 'shop.test',
  web_root: null,
  provenance: 'generated',
  publication: 'private',
  status: 'active',
  failed_step: null,
  error_code: null,
  replaces_route_id: null,
  replaced_by_route_id: null,
  replacement_step: null,
  target_set_step: null,
  target: { id: 1, instance_id: 7, position: 1 },
  targets: [{ id: 1, instance_id: 7, position: 1 }],
  process_id: null,
  upstream: null,
  analytics_instance_id: null,
}

/** What is said to be wrong of a Route. */
async function problemsOf(data: Readonly<Record<string, unknown>>, also: readonly unknown[] = []) {
  const paper = {
    columns: 100,
    colors: new FakeTerminal().outColors,
    messageOf: (code: string) => (code === 'node.unreachable' ? 'The Node does not answer.' : undefined),
  }
  const shown = (await routeShow.lines(data, [...also], paper)).join('\n')
  return `${shown.slice(shown.indexOf('Problems'))}\n`
}

test('a Route without an Instance, with one that is not created, and one whose targets change say what helps and never to remove what serves', async () => {
  const reserved = { ...route, status: 'pending' }
  const live = { id: 7, name: 'live', project: { slug: 'shop' }, node: { name: 'web-1' } }
  assert.match(
    await problemsOf(reserved, [[live], [], []]),
    /Its status is pending\.\n {2}Its Instance is not created completely[^\n]*\n {2}next {2}fleet instance:show shop\/live\n$/,
  )
  assert.match(await problemsOf(reserved), /next {2}fleet instance:show 7\n$/)
  assert.match(
    await problemsOf({ ...reserved, target: null, targets: [] }),
    /It leads to no Instance\. `fleet route:target:set` leads it to one[^\n]*\n {2}next {2}fleet route:destroy 9\n$/,
  )
  const changing = { ...route, target_set_step: 'private-dns' }
  const stopped = { ...changing, failed_step: 'private-dns', error_code: 'node.unreachable' }
  for (const [one, said] of [
    [changing, /^Problems\n {2}A change of its targets is at the step private-dns\.\n/],
    [stopped, /^Problems\n {2}It stopped at the step private-dns\. The Node does not answer/],
  ] as const) {
    const shown = await problemsOf(one)
    assert.match(shown, said)
    assert.match(
      shown,
      /the request that began it finishes it\.\n {2}next {2}fleet activity:list --command route:target:set\n$/,
    )
  }
})
