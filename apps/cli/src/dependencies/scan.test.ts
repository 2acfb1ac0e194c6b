import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DependencyInventory, EcosystemInventory } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { eventually } from '@fleet/testing'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { EXIT } from '#/exit.ts'
import { makePerson, type Person } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const data = (value: unknown): Reply => ({ status: 200, body: { data: value, meta: { request_id: ID } } })
const refused = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: 'Refused.' }, meta: { request_id: ID } },
})
const project = { id: 1, slug: 'shop', name: 'Shop', type: 'monorepo' }
const instances = [
  { id: 7, name: 'default', project },
  { id: 8, name: 'next', project },
  { id: 9, name: 'last', project },
]

const absent: EcosystemInventory = {
  ecosystem: 'composer',
  state: 'current',
  succeeded: true,
  attempted_at: '2026-01-02T03:04:05.000Z',
  error_code: null,
  error_detail: null,
  snapshot: {
    observed_at: '2026-01-02T03:04:05.000Z',
    source: { project_root: '/srv/shop', reference: 'main', file_hashes: {}, format: null },
    graph: null,
  },
}

const failed: EcosystemInventory = {
  ...absent,
  ecosystem: 'npm',
  state: 'unknown',
  succeeded: false,
  error_code: 'dependencies.incomplete_source',
  error_detail: 'package-lock.json is missing',
  snapshot: null,
}

const inventory = (id: number, javascript: EcosystemInventory): DependencyInventory => ({
  instance_id: id,
  succeeded: javascript.succeeded,
  composer: absent,
  javascript,
})

const good = (id: number): Reply => data(inventory(id, { ...absent, ecosystem: 'npm' }))
const SCAN = (id: number): string => `POST /api/v1/instances/${id}/dependencies/scan`

interface Scene extends AsyncDisposable {
  readonly gateway: HttpsGateway
  readonly person: Person
  /** `METHOD path` of every request for dependencies. */
  scans(): readonly string[]
}

async function scene(answers: Readonly<Record<string, Reply | Promise<Reply>>>): Promise<Scene> {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    const known: Readonly<Record<string, Reply | Promise<Reply>>> = {
      'GET /api/v1/ca/root': data({ root_ca: root().certificate, sha256: root().sha256 }),
      'GET /api/v1/instances': data(instances),
      ...answers,
    }
    return known[`${method} ${url}`] ?? refused(404, 'http.404')
  })
  const person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  return {
    gateway,
    person,
    scans: () =>
      gateway.asked
        .map(({ method, url }) => `${method} ${url}`)
        .filter((line) => line.endsWith('/dependencies/scan')),
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const COMMAND = 'instance:dependencies:scan'

test('the exit status is zero only when every ecosystem was read, and the detail is shown [DEP-023, DEP-046]', async () => {
  await using at = await scene({ [SCAN(7)]: good(7), [SCAN(8)]: data(inventory(8, failed)) })
  const read = await at.person.type([COMMAND, 'shop/default'])
  assert.equal(read.exit, 0, read.err)
  assert.match(read.out, /packages +0\n/)
  const not = await at.person.type([COMMAND, '8'])
  assert.equal(not.exit, 1)
  assert.match(not.out, /package-lock\.json is missing \(dependencies\.incomplete_source\)/)
  const json = await at.person.type([COMMAND, '8', '--json'])
  assert.equal(json.exit, 1)
  assert.deepEqual(JSON.parse(json.out).data, inventory(8, failed))
})

test('an Instance whose request gets no answer, or half of one, fails alone [DEP-040, DEP-045]', async () => {
  const cut: Reply = { body: ' ', headers: { 'content-length': '100' } }
  await using at = await scene({
    [SCAN(7)]: new Promise(() => undefined),
    [SCAN(8)]: cut,
    [SCAN(9)]: good(9),
  })
  const { exit, out } = await at.person.type([COMMAND, '--all', '--json', '--timeout', '2'])
  assert.equal(exit, EXIT.refused)
  const { summary, instances: scanned } = JSON.parse(out)
  assert.deepEqual(summary, { instances: 3, scanned: 1, failed: 2, skipped: 0 })
  const lost = { status: 'failed', error_code: 'gateway.unreachable', inventory: null }
  assert.deepEqual(scanned.slice(0, 2), [
    { instance_id: 7, ...lost },
    { instance_id: 8, ...lost },
  ])
  assert.equal(scanned[2].status, 'scanned')
})

test('a current directory that was removed is an error of the command line', async () => {
  await using at = await scene({})
  using lost = makePerson(systemClock, undefined, () => {
    throw Object.assign(new Error('uv_cwd'), { code: 'ENOENT' })
  })
  await lost.type(['gateway:add', 'office', at.gateway.url, '--accept-new'])
  for (const command of [COMMAND, 'instance:open']) {
    const { exit, err } = await lost.type([command])
    assert.deepEqual([exit, err.split('\n')[0]], [EXIT.usage, 'The current directory no longer exists.'])
  }
})

test('an interruption of a scan names the request that may still be worked on, with --all too', async () => {
  const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e'
  await using at = await scene({ [SCAN(7)]: good(7), [SCAN(8)]: good(8), [SCAN(9)]: good(9) })
  const changes = async (...words: readonly string[]) => {
    const { requests, outcomes, ended } = at.person.begin([COMMAND, ...words])
    assert.equal((await ended).exit, 0)
    assert.deepEqual(outcomes, [EXIT.ok])
    return requests.filter(({ changes: isChange }) => isChange).map(({ id }) => id)
  }
  const ids = () =>
    at.gateway.asked
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['x-fleet-request-id'])
  assert.deepEqual(await changes('shop/default', '--request-id', REQUEST), [REQUEST])
  const all = await changes('--all')
  assert.equal(all.length, 3)
  assert.deepEqual(ids(), [REQUEST, ...all])
})

test('an update that did not succeed ends with a status of its own, and showing what failed does not', async () => {
  const step = { status: 'failed', may_have_mutated: true, error_code: 'dependencies.update_failed' }
  const update = {
    instance_id: 8,
    succeeded: false,
    error_code: 'dependencies.update_failed',
    may_have_mutated: true,
    composer: { ecosystem: 'composer', ...step },
    javascript: { ecosystem: 'npm', ...step, status: 'not_run' },
    inventory: null,
  }
  await using at = await scene({
    'POST /api/v1/instances/8/dependencies/update': data(update),
    'GET /api/v1/instances/8/dependencies': data(inventory(8, failed)),
  })
  for (const json of [[], ['--json']]) {
    const words = ['instance:dependencies:update', '8', '--yes', ...json]
    const { exit, out, err } = await at.person.type(words)
    assert.equal(exit, 1, err)
    assert.match(out, /dependencies\.update_failed/)
  }
  assert.equal((await at.person.type(['instance:dependencies:show', '8'])).exit, 0)
})

test('an update of everything, or beyond what is declared, is refused before any request [DEP-070]', async () => {
  await using at = await scene({})
  const before = at.gateway.asked.length
  for (const option of ['--all', '--latest']) {
    const { exit, err } = await at.person.type([
      'instance:dependencies:update',
      '8',
      option,
      '--yes',
      '--json',
    ])
    assert.deepEqual([exit, JSON.parse(err).error.code], [EXIT.usage, 'usage'], option)
  }
  assert.equal(at.gateway.asked.length, before)
})

test('an unknown count is a dash, and verified absence is zero [DEP-047]', async () => {
  await using at = await scene({ [SCAN(8)]: data(inventory(8, failed)) })
  const { out } = await at.person.type([COMMAND, '8'])
  const [composer = '', javascript = ''] = out.split('JavaScript')
  assert.match(composer, /packages +0\n/)
  assert.match(javascript, /packages +–\n/)
})

test('without a selector the Instance of the current directory is scanned, and a domain goes before it [DEP-038, DEP-039, DEP-042, DEP-043]', async () => {
  const directory = `GET /api/v1/instances/resolve-directory?directory=${encodeURIComponent(process.cwd())}`
  const domain = (name: string): string => `GET /api/v1/instances/resolve?domain=${name}`
  await using at = await scene({
    [directory]: data({ instance_id: 8 }),
    [domain('shop.test')]: data({ instance_id: 7 }),
    [domain('none.test')]: refused(404, 'dependencies.target_not_found'),
    [domain('pool.test')]: refused(409, 'dependencies.target_ambiguous'),
    [SCAN(8)]: good(8),
    [SCAN(7)]: good(7),
  })
  assert.equal((await at.person.type([COMMAND])).exit, 0)
  assert.deepEqual(at.scans(), [SCAN(8)])
  assert.equal((await at.person.type([COMMAND, '--project=shop.test'])).exit, 0)
  assert.deepEqual(at.scans(), [SCAN(8), SCAN(7)])
  const codeOf = async (...words: readonly string[]): Promise<unknown> => {
    const { err, exit } = await at.person.type([COMMAND, ...words, '--json'])
    assert.notEqual(exit, 0)
    return JSON.parse(err).error.code
  }
  assert.equal(await codeOf('--project=none.test'), 'dependencies.target_not_found')
  assert.equal(await codeOf('--project=pool.test'), 'dependencies.target_ambiguous')
  assert.equal(at.scans().length, 2)
  await using outside = await scene({ [directory]: refused(404, 'dependencies.target_not_found') })
  const { err } = await outside.person.type([COMMAND, '--json'])
  assert.equal(JSON.parse(err).error.code, 'dependencies.target_not_found')
  assert.deepEqual(outside.scans(), [])
})

test('--all scans every Instance in the order of the list, and a failure stops none [DEP-026, DEP-040, DEP-045]', async () => {
  const answers = {
    [SCAN(7)]: data(inventory(7, failed)),
    [SCAN(8)]: refused(409, 'dependencies.operation_busy'),
    [SCAN(9)]: good(9),
  }
  await using at = await scene(answers)
  const { exit, out } = await at.person.type([COMMAND, '--all', '--json', '--request-id', ID])
  assert.equal(exit, 1)
  assert.deepEqual(at.scans(), [SCAN(7), SCAN(8), SCAN(9)])
  const { instances: scanned, ...aggregate } = JSON.parse(out)
  assert.deepEqual(aggregate, {
    succeeded: false,
    summary: { instances: 3, scanned: 1, failed: 2, skipped: 0 },
    request_id: ID,
  })
  assert.deepEqual(
    scanned.map((one: { instance_id: number; status: string; error_code: unknown; inventory: unknown }) => [
      one.instance_id,
      one.status,
      one.error_code,
      one.inventory !== null,
    ]),
    [
      [7, 'failed', 'dependencies.incomplete_source', true],
      [8, 'failed', 'dependencies.operation_busy', false],
      [9, 'scanned', null, true],
    ],
  )
  const people = await at.person.type([COMMAND, '--all'])
  assert.deepEqual(people.out.trimEnd().split('\n'), [
    '[1/3] shop/default (7)  composer 0  npm –  failed: package-lock.json is missing (dependencies.incomplete_source)',
    '[2/3] shop/next (8)  failed: dependencies.operation_busy',
    '[3/3] shop/last (9)  composer 0  npm 0',
    '1 scanned, 2 failed, 0 skipped',
  ])
})

test('an interruption of --all marks the rest skipped in the answer [DEP-041]', async () => {
  const never = new Promise<Reply>(() => undefined)
  await using at = await scene({ [SCAN(7)]: good(7), [SCAN(8)]: never })
  const { ended, interrupt } = at.person.begin([COMMAND, '--all', '--json'])
  await eventually(() => at.scans().length === 2)
  interrupt()
  const { exit, out } = await ended
  assert.equal(exit, 130)
  const { summary, instances: scanned } = JSON.parse(out)
  assert.deepEqual(summary, { instances: 3, scanned: 1, failed: 0, skipped: 2 })
  assert.deepEqual(
    scanned.map(({ status }: { status: string }) => status),
    ['scanned', 'skipped', 'skipped'],
  )
})

test('--all with a domain or an Instance is refused before anything is asked [DEP-044]', async () => {
  await using at = await scene({})
  const before = at.gateway.asked.length
  for (const word of ['--project=shop.test', '7']) {
    const { err } = await at.person.type([COMMAND, '--all', word, '--json'])
    assert.equal(JSON.parse(err).error.code, 'dependencies.target_conflict')
  }
  assert.equal(at.gateway.asked.length, before)
})
