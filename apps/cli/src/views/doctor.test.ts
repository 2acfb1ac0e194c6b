import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type DoctorCode, doctorCodes, type DoctorNodeReport, type DoctorReport } from '@fleet/contract'
import { plain } from '#/terminal.ts'
import { doctor } from './doctor.ts'

async function printed(report: DoctorReport): Promise<string> {
  const lines = await doctor.lines({ ...report }, undefined, {
    columns: 80,
    colors: plain,
    messageOf: () => undefined,
  })
  return lines.map((line) => `${line}\n`).join('')
}

const issue = (
  code: DoctorCode,
  expected: string | null,
  observed: string | null,
  resource_name?: string,
) => ({
  code,
  kind: doctorCodes[code].kind,
  resource_type: resource_name === undefined ? 'node' : 'role',
  resource_id: 5,
  resource_name: resource_name ?? 'web',
  summary: doctorCodes[code].summary,
  expected,
  observed,
})
const node = (
  node_id: number,
  node_name: string,
  issues: readonly ReturnType<typeof issue>[],
): DoctorNodeReport => ({
  node_id,
  node_name,
  healthy: issues.length === 0,
  families: [
    { family: 'node', status: issues.length === 0 ? 'healthy' : 'drift', checked: 4, issues: [...issues] },
  ],
})
const summary = { nodes: 3, families: 10, checks: 41, drift: 0, unverifiable: 0 }
type Family = DoctorNodeReport['families'][number]
const healthyNode = node(1, 'gateway', [])

test('a healthy fleet is one line', async () => {
  assert.equal(
    await printed({ healthy: true, summary, nodes: [healthyNode] }),
    'Healthy: 41 checks of 3 Nodes.\n',
  )
  const one = { ...summary, nodes: 1, checks: 1 }
  assert.equal(
    await printed({ healthy: true, summary: one, nodes: [healthyNode] }),
    'Healthy: 1 check of 1 Node.\n',
  )
})

test('families that nobody inspected are named, and a Node without checks is not called healthy', async () => {
  const route: Family = { family: 'route', status: 'not_inspected', checked: 0, issues: [] }
  const project: Family = { ...route, family: 'project' }
  const gateway = { ...healthyNode, families: [...healthyNode.families, project, route] }
  assert.equal(
    await printed({ healthy: true, summary, nodes: [gateway] }),
    'Healthy: 41 checks of 3 Nodes.\nNot inspected: project, route.\n',
  )
  const blind = { ...healthyNode, healthy: false, families: [route] }
  assert.equal(
    await printed({ healthy: false, summary: { ...summary, nodes: 1, checks: 0 }, nodes: [blind] }),
    'No check applies; 0 checks of 1 Node.\nNot inspected: route.\n',
  )
})

test('a Node without checks is not counted among those on which something is wrong', async () => {
  const process: Family = { family: 'process', status: 'not_inspected', checked: 0, issues: [] }
  const blind = { ...healthyNode, healthy: false, families: [process] }
  const sick = node(3, 'web-1', [issue('process.crash_loop', 'running', 'restarting', 'p')])
  const text = await printed({ healthy: false, summary: { ...summary, drift: 1 }, nodes: [sick, blind] })
  assert.match(text, /^1 wrong on 1 of 3 Nodes; 41 checks\.$/m)
})

test('issues stand below their Node with what was expected and seen and the command that repairs', async () => {
  const text = await printed({
    healthy: false,
    summary: { ...summary, drift: 2, unverifiable: 1 },
    nodes: [
      healthyNode,
      node(3, 'web-1', [
        issue('node.agent_inactive', 'active', 'inactive'),
        issue('role.vpn_inactive', null, null, 'vpn'),
      ]),
      node(4, 'web-2', [issue('node.ssh_unreachable', 'answers', 'no answer')]),
    ],
  })
  assert.equal(text, readFileSync(new URL('../golden/doctor.txt', import.meta.url), 'utf8'))
})

test('an Instance is told with its id, since others have its name', async () => {
  const sick = node(3, 'web-1', [
    { ...issue('instance.checkout_missing', null, null, 'main'), resource_type: 'instance' },
    issue('role.vpn_inactive', null, null, 'vpn'),
  ])
  const text = await printed({ healthy: false, summary: { ...summary, drift: 2 }, nodes: [sick] })
  assert.match(text, /\(instance main, id 5\)$/m)
  assert.match(text, /\(role vpn\)$/m)
})

test('the unit that does not run is named with its state and the last lines of its journal', async () => {
  const service = {
    unit: 'caddy.service',
    state: 'failed (exit-code, status 1)',
    journal: ['Error: adapting config', 'unexpected end of file'],
  }
  const sick = {
    ...issue('role.services_inactive', 'running', 'not running: caddy.service', 'app-dev'),
    service,
  }
  const text = await printed({
    healthy: false,
    summary: { ...summary, drift: 1 },
    nodes: [node(1, 'web', [sick])],
  })
  assert.match(
    text,
    /observed not running: caddy\.service\n {4}unit caddy\.service: failed \(exit-code, status 1\)\n {6}Error: adapting config\n {6}unexpected end of file\n/,
  )
})
