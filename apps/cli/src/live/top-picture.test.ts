import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain } from '#/terminal.ts'
import { AgentView } from './agent-view.ts'
import { headLine, tableOf } from './top-picture.ts'
import type { Seen } from './watch-nodes.ts'

function seen(link: Seen['link']): Seen {
  const view = new AgentView(3)
  view.joined('agent.3', {})
  view.hear('client-heartbeat', { sequence: 1 }, 'agent.3', 0)
  const units = [{ name: 'orbit-process-7-web', runtime: 'docker', runtime_status: 'running' }]
  const snapshot = { sequence: 2, docker: 'available', part: 1, parts: 1, units }
  view.hear('client-snapshot', snapshot, 'agent.3', 0)
  const record = { id: 3, name: 'web', status: 'active', roles: ['app-dev'], updating: null }
  return { link, nodes: [{ record, view }], unfinished: [], usage: new Map([[7, [0.255, 3 * 1024 * 1024]]]) }
}

const format = (ticks: number) => ({ ticks, columns: 100, colors: plain })

test('a viewer that is cut off shows what it knew then, and when it tries again', async () => {
  const lost = { kind: 'lost', reason: 'the connection broke', since: 2000, retryAt: 63_500 } as const
  assert.equal(
    headLine(seen(lost), { name: 'office', ticks: 60_000 }),
    'fleet top  office  1 Node, 1 online  DISCONNECTED: the connection broke; retrying in 4 s',
  )
  assert.deepEqual(await tableOf('nodes', seen(lost), format(60_000)), [
    'NAME  AGENT   HEARD  STATUS  UNITS  WORKSPACES  DOCKER     ROLES',
    'web   online  2 s    active  1/1    0           available  app-dev',
  ])
})

test('an agent that is silent is lost, and a Process shows what it uses', async () => {
  const connected = seen({ kind: 'connected' })
  const name = 'office'
  assert.equal(headLine(connected, { name, ticks: 60_000 }), 'fleet top  office  1 Node, 1 lost')
  assert.deepEqual(await tableOf('units', connected, format(0)), [
    'NODE  UNIT                 STATUS   RUNTIME  CPU     MEMORY',
    'web   orbit-process-7-web  running  docker   25.5 %  3 MiB',
  ])
  assert.deepEqual(await tableOf('workspaces', connected, format(0)), ['No agent has reported workspaces.'])
})

test('an Instance whose setup is unfinished is counted in the head line and has a table of its own', async () => {
  const unfinished = [
    {
      id: 4,
      name: 'default',
      project: { name: 'Shop' },
      node: { name: 'web' },
      status: 'active',
      failed_step: 'setup',
      error_code: null,
    },
  ]
  const open = { ...seen({ kind: 'connected' }), unfinished }
  assert.equal(
    headLine(open, { name: 'office', ticks: 0 }),
    'fleet top  office  1 Node, 1 online, 1 Instance unfinished',
  )
  assert.deepEqual(await tableOf('unfinished', open, format(0)), [
    'NODE  INSTANCE      STATUS  FAILED STEP  ID',
    'web   Shop/default  active  setup        4',
  ])
  assert.deepEqual(await tableOf('unfinished', seen({ kind: 'connected' }), format(0)), [
    'No Instance is unfinished.',
  ])
})
