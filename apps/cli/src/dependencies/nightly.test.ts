import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { makePerson } from '#/run-harness.ts'

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/know-what-you-depend-on.md')

/** The words of a command line whose only quotes are single ones. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

const ecosystem = (name: string) => ({
  ecosystem: name,
  state: 'current',
  succeeded: true,
  attempted_at: '2026-01-02T03:04:05.000Z',
  error_code: null,
  error_detail: null,
  snapshot: null,
})

test('the nightly scan of the guide is one Schedule of a Node with two hours, and what it runs scans every Instance and nothing else [DEP-072, DEP-073]', async () => {
  const project = { id: 1, slug: 'shop', name: 'Shop', type: 'monorepo' }
  const answers: Readonly<Record<string, unknown>> = {
    'POST /api/v1/schedules': { id: 4, name: 'nightly-dependencies' },
    'GET /api/v1/instances': [7, 8].map((id) => ({ id, name: `i${id}`, project })),
    ...Object.fromEntries(
      [7, 8].map((id) => [
        `POST /api/v1/instances/${id}/dependencies/scan`,
        {
          instance_id: id,
          succeeded: true,
          composer: ecosystem('composer'),
          javascript: ecosystem('npm'),
        },
      ]),
    ),
  }
  const reply = (
    { method, url }: { readonly method: string; readonly url: string },
    root: unknown,
  ): Reply => {
    const data = url === '/api/v1/ca/root' ? root : answers[`${method} ${url}`]
    return data === undefined
      ? { status: 404, body: { error: { code: 'http.404', message: url }, meta: {} } }
      : { body: { data, meta: { request_id: '00000000-0000-4000-8000-000000000001' } } }
  }
  await using gateway = await startHttpsGateway(systemClock, (asked, { root }) => {
    const { certificate, sha256 } = root()
    return reply(asked, { root_ca: certificate, sha256 })
  })
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const lines = readFileSync(GUIDE, 'utf8').split('\n')
  const [line, ...others] = lines.filter((one) => one.startsWith('fleet schedule:create'))
  assert.ok(line !== undefined && others.length === 0)
  const made = await person.type([...wordsOf(line).slice(1), '--json'])
  assert.equal(made.exit, 0, made.err)
  const body: unknown = JSON.parse(gateway.asked.at(-1)?.body ?? '')
  const command = '/usr/local/bin/fleet instance:dependencies:scan --all --json'
  assert.deepEqual(body, {
    target_type: 'node',
    target_id: 1,
    name: 'nightly-dependencies',
    calendar: '*-*-* 03:00',
    command,
    timeout_seconds: 7200,
  })
  const before = gateway.asked.length
  const ran = await person.type(wordsOf(command).slice(1))
  assert.equal(ran.exit, 0, ran.err)
  assert.partialDeepStrictEqual(JSON.parse(ran.out), {
    succeeded: true,
    summary: { instances: 2, scanned: 2 },
  })
  assert.deepEqual(
    gateway.asked.slice(before).map(({ method, url }) => `${method} ${url}`),
    Object.keys(answers).slice(1),
  )
})
