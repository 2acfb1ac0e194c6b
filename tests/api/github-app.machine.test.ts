import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addGrant } from '@fleet/testing'
import { type FakeGitHub, startFakeGitHub } from '@fleet/testing/fake-github'
import { type Response, startTestGateway, type TestGateway } from './harness.ts'

const APP = '/api/v1/github/app'
const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } }
const POLICY = (action: string): string =>
  `default-src 'none'; style-src 'unsafe-inline'; form-action ${action}; base-uri 'none'; frame-ancestors 'none'`

/** The form of the page, as a browser would post it. */
function formOf({ text }: Response): { readonly action: string; readonly manifest: string } {
  const unescaped = (value = ''): string =>
    value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return {
    action: unescaped(/<form action="([^"]*)"/.exec(text)?.[1]),
    manifest: unescaped(/name="manifest" value="([^"]*)"/.exec(text)?.[1]),
  }
}

/** The person presses the button and agrees. Answers where GitHub sends the browser. */
async function agree({ server }: FakeGitHub, form: ReturnType<typeof formOf>): Promise<string> {
  const body = new URLSearchParams({ manifest: form.manifest }).toString()
  const { status, headers } = await server.fetch(form.action, { method: 'POST', body })
  assert.equal(status, 302)
  return headers.get('location') ?? ''
}

/** Begins a registration and answers its first page, as the gateway serves it. */
async function begin(
  fleet: TestGateway,
  body: unknown,
): Promise<{ readonly path: string; readonly page: Response }> {
  const { status, json } = await fleet.ask('POST', APP, { body })
  assert.equal(status, 200)
  return { path: json.data.page, page: await fleet.ask('GET', json.data.page, BROWSER) }
}

test('a browser registers the app through two pages, an account installs it, and the gateway reads a private repository; no answer, event, row, file or log has key or token [PRX-009, PRX-010, PRX-011, PRX-012, PRX-013, PRX-016, PRX-018]', async () => {
  await using host = await startFakeGitHub(['acme/shop', 'acme/site'])
  const events: unknown[] = []
  await using fleet = await startTestGateway({
    github: host.server,
    gitAuthority: host.git.caFile,
    hasLog: true,
    feed: { isServed: async () => true, publish: async (published) => void events.push(...published) },
  })
  const { path, page } = await begin(fleet, { name: 'Our Fleet', owner: 'acme' })
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.deepEqual(
    [page.headers['cache-control'], page.headers['referrer-policy'], page.headers['content-security-policy']],
    ['no-store', 'no-referrer', POLICY(host.server.web)],
  )
  const form = formOf(page)
  const state = path.slice(path.indexOf('state=') + 6)
  assert.equal(form.action, `${host.server.web}/organizations/acme/settings/apps/new?state=${state}`)
  const back = await agree(host, form)
  assert.deepEqual(host.manifests, [
    {
      name: 'Our Fleet',
      public: true,
      default_events: [],
      default_permissions: {
        actions: 'read',
        checks: 'read',
        contents: 'write',
        metadata: 'read',
        pull_requests: 'write',
        workflows: 'write',
      },
      url: fleet.url,
      redirect_url: `${fleet.url}/api/v1/github/app/registration/confirmation`,
    },
  ])
  assert.ok(back.startsWith(fleet.url))
  const confirmed = await fleet.ask('GET', back.slice(fleet.url.length), BROWSER)
  const url = `${host.server.web}/apps/our-fleet`
  assert.equal(confirmed.status, 303)
  assert.deepEqual(
    ['location', 'cache-control', 'referrer-policy'].map((name) => confirmed.headers[name]),
    [`${url}/installations/new`, 'no-store', 'no-referrer'],
  )
  const app = await fleet.ask('GET', APP)
  assert.deepEqual([app.status, app.json.data.url, app.json.data.installations], [200, url, []])
  const again = await fleet.ask('POST', APP, { body: {} })
  assert.equal(again.json.data.page, `${url}/installations/new`)

  const create = (slug: string) =>
    fleet.ask('POST', '/api/v1/projects', {
      body: { slug, type: 'node-package', root: '.', repository_url: host.git.urlOf(`acme/${slug}`) },
    })
  const uncovered = await create('shop')
  assert.equal(uncovered.json.error.details.git_reason, 'authentication')
  host.install(app.json.data.id, 'acme', ['shop'])
  assert.deepEqual((await fleet.ask('GET', APP)).json.data.installations.length, 1)
  const created = await create('shop')
  assert.deepEqual([created.status, created.json.data.default_branch], [201, 'main'])
  host.records.public.add('acme/site')
  assert.equal((await create('site')).status, 201)
  const unmade = host.calls.filter(({ route }) => route.includes('access_tokens'))
  assert.deepEqual(
    unmade.map(({ body }) => body),
    [{ repositories: ['shop'], permissions: { contents: 'read' } }],
  )
  host.refuse('access_tokens', 422, 'The permissions requested are not granted to this installation.')
  const update = { body: { default_branch: 'next' } }
  const refused = await fleet.ask('PATCH', `/api/v1/projects/${created.json.data.id}`, update)
  assert.deepEqual([refused.status, refused.json.error.code], [502, 'github.unavailable'])
  assert.match(refused.json.error.message, /422: “The permissions requested are not granted/)

  const doctor = await fleet.ask('POST', '/api/v1/doctor', { body: { families: ['project'] } })
  assert.equal(doctor.status, 200)
  const activities = await fleet.ask('GET', '/api/v1/activities')
  const recorded = activities.json.data.map(({ command }: { command: string }) => command)
  for (const name of ['install', 'register', 'confirm', 'show'])
    assert.ok(recorded.includes(`github:app:${name}`), name)
  const stored = await fleet.store.db.selectFrom('github_apps').selectAll().execute()
  const { data: destroyed } = (await fleet.ask('DELETE', APP)).json
  const answers = [page, confirmed, app, again, uncovered, created, refused, doctor, activities]
  const rows = await fleet.store.db.selectFrom('activities').selectAll().execute()
  const spoken = [...answers.map(({ text }) => text), JSON.stringify([stored, destroyed, rows, events])].join(
    '\n',
  )
  assert.equal(host.secrets.length, 2)
  assert.notEqual(readFileSync(join(fleet.home, 'log'), 'utf8'), '')
  assert.ok(events.length > 5)
  for (const secret of host.secrets) {
    const [line = secret] = secret.split('\n').slice(1, 2)
    assert.ok(!spoken.includes(line))
    const { status } = spawnSync('grep', ['-rqF', '-e', line, fleet.home])
    assert.equal(status, 1)
  }
  assert.deepEqual((await fleet.ask('GET', APP)).json.error.code, 'github.app_missing')
})

test('a browser that comes with a wrong state or code reads a page that says so, a program the envelope [PRX-013, PRX-014]', async () => {
  await using host = await startFakeGitHub([])
  await using fleet = await startTestGateway({ github: host.server })
  const { page } = await begin(fleet, {})
  const back = new URL(await agree(host, formOf(page)))
  back.searchParams.set('state', '0'.repeat(64))
  const path = `${back.pathname}${back.search}`
  const shown = await fleet.ask('GET', path, BROWSER)
  assert.equal(shown.status, 409)
  assert.match(shown.text, /github\.registration_invalid/)
  assert.match(String(shown.headers['content-type']), /^text\/html/)
  assert.deepEqual(
    [shown.headers['referrer-policy'], shown.headers['content-security-policy']],
    ['no-referrer', POLICY("'none'")],
  )
  assert.equal((await fleet.ask('GET', path)).json.error.code, 'github.registration_invalid')
  assert.deepEqual(host.calls, [])
})

test('every operation of the app needs the grant on the gateway [PRX-012]', async () => {
  await using fleet = await startTestGateway()
  await addGrant(fleet.store, { id: fleet.nodes.granted }, { id: fleet.nodes.gateway })
  const state = '0'.repeat(64)
  const requests = [
    ['POST', APP, 200],
    ['GET', APP, 404],
    ['DELETE', APP, 404],
    ['GET', `${APP}/registration?state=${state}`, 409],
    ['GET', `${APP}/registration/confirmation?state=${state}&code=a`, 409],
  ] as const
  for (const [method, path, status] of requests) {
    const body = method === 'POST' ? { body: {} } : {}
    assert.equal((await fleet.ask(method, path, { from: 'ungranted', ...body })).status, 403, path)
    assert.equal((await fleet.ask(method, path, { from: 'granted', ...body })).status, status, path)
  }
})
