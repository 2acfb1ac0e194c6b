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
  return {
    link,
    nodes: [{ record, view }],
    unfinished: [],
    instances: new Map(),
    processes: [],
    usage: new Map([[7, [0.255, 3 * 1024 * 1024]]]),
  }
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

test('Processes are shown by owner and name, with the status that their agent reports and what they use', async () => {
  const process = {
    target_type: 'node',
    target_id: 3,
    runtime: 'systemd',
    desired_state: 'running',
    status: 'active',
    runtime_status: 'active',
    failed_step: null,
    error_code: null,
    cpu: 0.5,
    memory_bytes: 1024 * 1024,
  }
  const ofInstance = {
    target_type: 'instance',
    target_id: 4,
    runtime_status: null,
    cpu: null,
    memory_bytes: null,
  }
  const processes = [
    { ...process, id: 7, name: 'web', runtime: 'docker', runtime_status: 'exited' },
    { ...process, id: 8, name: 'queue' },
    {
      ...process,
      ...ofInstance,
      id: 9,
      name: 'vite',
      status: 'failed',
      error_code: 'process.runtime_failed',
    },
    { ...process, ...ofInstance, id: 10, target_id: 5, name: 'lost' },
  ]
  const instances = new Map([[4, { id: 4, name: 'default', project: { name: 'Shop' } }]])
  const open = { ...seen({ kind: 'connected' }), processes, instances }
  assert.deepEqual(await tableOf('processes', open, { ...format(0), columns: 140 }), [
    'OWNER         PROCESS  STATUS   DESIRED  RUNTIME  CPU     MEMORY  PROBLEM                 ID',
    'Shop/default  vite     failed   running  systemd  –       –       process.runtime_failed  9',
    'instance 5    lost     active   running  systemd  –       –       –                       10',
    'web           queue    active   running  systemd  50.0 %  1 MiB   –                       8',
    'web           web      running  running  docker   25.5 %  3 MiB   –                       7',
  ])
  assert.deepEqual(await tableOf('processes', seen({ kind: 'connected' }), format(0)), ['No Processes yet.'])
})
