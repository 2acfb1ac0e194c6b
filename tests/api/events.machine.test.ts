import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { eventRegistry, type EventType } from '@fleet/contract'
import { localPool } from '@fleet/testing'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import { startTestGateway, type TestGateway } from './harness.ts'

/** What the feed of a gateway is given. */
interface Report {
  readonly type: EventType
  readonly id: number | string
  readonly data: unknown
}

let fleet: TestGateway
let git: GitServer
let home: string
let reported: Report[] = []
before(async () => {
  home = mkdtempSync(join(tmpdir(), 'fleet-events-'))
  git = await startGitServer(['shop', 'blog'])
  fleet = await startTestGateway({
    ssh: localPool({ home, env: { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1' } }),
    gitAuthority: git.caFile,
    feed: {
      isServed: async () => false,
      publish: async (events) => {
        for (const event of events) reported.push(event)
      },
    },
  })
})
after(async () => {
  await fleet[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(() => {
  reported = []
})

/** A Node may act on itself; Projects need the gateway. */
const from = (path: string): 'gateway' | 'granted' => (path.startsWith('/projects') ? 'gateway' : 'granted')

/** Data of a success together with the events that were reported before it was answered. */
async function done(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ data: { id: number }; reported: Report[] }> {
  reported = []
  const { status, json, text } = await fleet.ask(method, `/api/v1${path}`, { body, from: from(path) })
  assert.ok(status < 300, text)
  for (const { type, data } of reported) assert.ok(eventRegistry[type].data.safeParse(data).success, type)
  return { data: json.data, reported }
}

/** Code of a refusal or fault, which must have published nothing. */
async function silentlyRefused(method: string, path: string, body?: unknown): Promise<string> {
  reported = []
  const { status, json, text } = await fleet.ask(method, `/api/v1${path}`, { body, from: from(path) })
  assert.ok(status >= 400, text)
  assert.deepEqual(reported, [])
  return json.error.code
}

const project = (name: 'shop' | 'blog', slug: string) => ({
  slug,
  type: 'node-package',
  repository_url: git.urlOf(name),
  root: '.',
})

test('a Project reports its creation, each real change and its removal, and nothing else [EV-002, EV-006, EV-007, EV-023, EV-024, EV-025, EV-083]', async () => {
  const created = await done('POST', '/projects', project('shop', 'shop-events'))
  const { id } = created.data
  assert.deepEqual(created.reported, [{ type: 'project.created', id, data: created.data }])
  assert.deepEqual((await done('POST', '/projects', project('shop', 'shop-events'))).reported, [])
  const updated = await done('PATCH', `/projects/${id}`, { task_check: 'npm test' })
  assert.deepEqual(updated.reported, [{ type: 'project.updated', id, data: updated.data }])
  assert.deepEqual((await done('PATCH', `/projects/${id}`, { task_check: 'npm test' })).reported, [])
  assert.equal(await silentlyRefused('PATCH', `/projects/${id}`, {}), 'project.update_required')
  const conflict = { ...project('shop', 'shop-events'), type: 'laravel-package' }
  assert.equal(await silentlyRefused('POST', '/projects', conflict), 'project.identity_conflict')
  const removed = await done('DELETE', `/projects/${id}`)
  const snapshot = { id, name: 'shop-events', slug: 'shop-events' }
  assert.deepEqual(removed.reported, [{ type: 'project.deleted', id, data: snapshot }])
  assert.equal(await silentlyRefused('DELETE', `/projects/${id}`), 'project.not_found')
})

test('an Instance reports its creation once and its removal; its environment and a failed attempt tell nothing [EV-026, EV-029, EV-083, EV-091]', async () => {
  const { id } = (await done('POST', '/projects', project('blog', 'blog-events'))).data
  const wish = { project_id: id, node_id: fleet.nodes.granted, name: 'default' }
  git.down = true
  assert.equal(await silentlyRefused('POST', '/instances', wish), 'instance.branch_resolution_failed')
  git.down = false
  const created = await done('POST', '/instances', wish)
  const instance = created.data
  assert.deepEqual(created.reported, [{ type: 'instance.created', id: instance.id, data: instance }])
  assert.deepEqual((await done('POST', '/instances', wish)).reported, [])
  const shown = await done('GET', `/instances/${instance.id}`)
  assert.deepEqual(shown.data, instance)
  const path = `/instances/${instance.id}`
  assert.deepEqual((await done('PUT', `${path}/environment/GREETING`, { value: 'hello' })).reported, [])
  const { checkout_path: checkout } = created.data as unknown as { checkout_path: string } // A member of every Instance.
  writeFileSync(join(checkout, 'mine.txt'), 'work')
  assert.equal(await silentlyRefused('DELETE', path), 'instance.remove_refused')
  const removed = await done('DELETE', `${path}?force=true`)
  assert.deepEqual(removed.reported, [
    { type: 'instance.deleted', id: instance.id, data: { id: instance.id, name: 'default' } },
  ])
})

test('a Node reports a new name and new settings, but not a repeat of them or a refusal [EV-017, EV-018, EV-083, NODE-098]', async (context) => {
  const path = `/nodes/${fleet.nodes.granted}`
  const renamed = await done('PATCH', `${path}/name`, { name: 'web-events' })
  assert.deepEqual(renamed.reported, [{ type: 'node.updated', id: fleet.nodes.granted, data: renamed.data }])
  assert.deepEqual((await done('PATCH', `${path}/name`, { name: 'web-events' })).reported, [])
  assert.equal(await silentlyRefused('PATCH', `${path}/name`, { name: 'gateway' }), 'node.name_taken')
  // Not below the temporary folder of the run, which may be in /dev: no apps may be there.
  const place = mkdtempSync('/tmp/fleet-events-apps-')
  context.after(() => rmSync(place, { recursive: true }))
  const settings = { settings: { apps: { path: join(place, 'apps') } } }
  const stored = await done('PATCH', `${path}/settings`, settings)
  assert.deepEqual(stored.reported, [{ type: 'node.updated', id: fleet.nodes.granted, data: stored.data }])
  assert.deepEqual((await done('PATCH', `${path}/settings`, settings)).reported, [])
  const bad = { settings: { apps: { path: 'relative' } } }
  assert.equal(await silentlyRefused('PATCH', `${path}/settings`, bad), 'node.settings_path_invalid')
  assert.deepEqual((await done('PATCH', `${path}/settings`, { settings: { apps: null } })).reported.length, 1)
})

test('a read reports nothing', async () => {
  for (const path of ['/nodes', '/projects', '/instances', '/activities'])
    assert.deepEqual((await done('GET', path)).reported, [])
})
