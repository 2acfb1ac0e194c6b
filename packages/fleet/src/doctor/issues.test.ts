import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repairOf } from '@fleet/contract/doctor-codes'
import { issue, issuesOf, silenceCode } from '#/doctor/issues.ts'
import { stored } from '#/nodes/api.ts'

const shop = { type: 'instance', id: 3, name: 'shop' }

test('a Node that takes no command has the code of each family [DOC-006, DRF-040, DRF-048]', () => {
  assert.deepEqual(
    (['instance', 'route', 'project'] as const).map((family) => silenceCode(family, 'unreachable')),
    ['instance.node_unreachable', 'route.node_unreachable', 'project.node_unreachable'],
  )
})

test('what could not be checked of a resource is said once, in the code of its family [DOC-005, DOC-024, DRF-040]', () => {
  const verdict = { unverifiable: 'no answer' }
  const ask = (id: number, name: string) => ({
    check: stored('instance.router_caddy_mismatch', { ...shop, id, name }, () => verdict),
    verdict,
  })
  const judged = [ask(3, 'shop'), ask(3, 'shop'), ask(4, 'blog')]
  for (const family of ['instance', 'route', 'project'] as const)
    assert.deepEqual(
      issuesOf(family, judged).map(({ code, kind, resource_name: name, observed }) => [
        code,
        kind,
        name,
        observed,
      ]),
      ['shop', 'blog'].map((name) => [`${family}.inspection_failed`, 'unverifiable', name, 'no answer']),
    )
})

test('the summary names the directory of an application, and nothing that is none [DOC-014, DRF-014]', () => {
  const summary = (directory: string): string =>
    issue('instance.laravel_url_mismatch', shop, { expected: null, observed: null, directory }).summary
  assert.match(summary('apps/admin'), / Directory: apps\/admin$/)
  for (const other of ['/etc', 'a/../b c', 'https://x', ''])
    assert.match(summary(other), / Directory: withheld$/)
})

test('the command repairs the other Node where it is that which differs', () => {
  const found = { expected: 'built', observed: 'not built', relatedNodeId: 9 }
  const next = (finding: Parameters<typeof issue>[2]): string | undefined => {
    const code = 'instance.router_caddy_mismatch'
    return repairOf(code, { ...issue(code, shop, finding), node_id: 2, node_name: 'web' }).command
  }
  assert.equal(next(found), 'node:converge 9 --force')
  assert.equal(next({ expected: null, observed: null }), 'node:converge 2 --force')
})

test('a certificate of the gateway or of the feed has the advice that helps with it', () => {
  const repairOfRole = (name: string) => {
    const code = 'role.certificate_mismatch'
    const found = issue(code, { ...shop, type: 'role', name }, { expected: 'good', observed: 'expired' })
    return repairOf(code, { ...found, node_id: 2, node_name: 'web' })
  }
  assert.deepEqual(repairOfRole('gateway'), {
    text: 'Restart the gateway on its Node: it issues a certificate when it starts. systemctl restart fleet-gateway',
    command: undefined,
  })
  assert.deepEqual(repairOfRole('websocket'), {
    text: 'Converge the role again: it issues and loads a certificate. If the server keeps its old one, restart it on the Node: systemctl restart fleet-websocket',
    command: 'node:role:add 2 websocket --converge-existing',
  })
})
