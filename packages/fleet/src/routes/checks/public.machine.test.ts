import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { script } from '@fleet/shell'
import { FakeClock, fakeCall, localSession, serviceHost } from '@fleet/testing'
import { makePublicChecks } from '#/routes/checks/public.ts'
import { city } from '#/routes/edge/world.test.ts'
import { updateRoute } from '#/routes/queries.ts'
import { makeSiteSource } from '#/routes/sites.ts'
import { startWorld } from '#/routes/world.test.ts'
import { caddyVersionOf, featuresOf, renderCaddyfile, ROOT_FILE } from '#/web-server/api.ts'

const CADDYFILE = 'etc/caddy/Caddyfile'
const STORED = 'var/lib/caddy/.local/share/caddy/certificates'
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** An ingress whose root is a folder here, with a public Route and a certificate of ninety days. */
async function openCity(caddy: string) {
  const world = await startWorld()
  const host = serviceHost()
  const found = await city(world)
  await updateRoute(world.store.db, found.id, { publication: 'public', edge_step: 'ingress-firewall' })
  host.install('caddy', `echo ${caddy}`)
  const clock = new FakeClock(systemClock.now().toISOString())
  const asked: string[] = []
  const family = makePublicChecks({
    ...world.deps,
    clock,
    root: host.root,
    firewall: {
      roleCheck: async (code, resource, node, role) => {
        asked.push([code, resource.name, node.name, role].join(' '))
        return []
      },
    },
  })
  const authority = await ensureRoot({ directory: host.at('ca'), clock, name: 'Public root' })
  const store = async (issuer: string, names: readonly string[] = ['shop.example']): Promise<void> => {
    const leaf = await issueLeaf(authority, { clock, names, addresses: [], days: 90 })
    host.write(`${STORED}/${issuer}/shop.example/shop.example.crt`, leaf.certificate)
  }
  const version = caddyVersionOf(caddy)
  assert.ok(version)
  const settings = { features: featuresOf(version), root: ROOT_FILE }
  const build = async (): Promise<void> =>
    host.write(
      CADDYFILE,
      renderCaddyfile(await makeSiteSource({ ...world.deps }).sitesOn(found.ingress), settings),
    )
  await build()
  await store('acme')
  const findings = async (node = found.ingress): Promise<readonly string[]> => {
    const session = localSession(host.pool, { node })
    const said: string[] = []
    for (const check of await family.checksOf(fakeCall(), node)) {
      assert.ok(check.kind === 'asked')
      const { source, args = [], read } = check.question
      const { exitCode, stdout } = await session.run(script(source, ...args))
      const verdict = await check.judge(read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() }))
      if (verdict && 'expected' in verdict) said.push(`${check.code}: ${verdict.observed}`)
    }
    return said
  }
  const edit = (from: string | RegExp, to: string): void => {
    const text = host.read(CADDYFILE) ?? ''
    host.write(CADDYFILE, text.replace(from, to))
    assert.notEqual(host.read(CADDYFILE), text)
  }
  return {
    world,
    host,
    clock,
    asked,
    city: found,
    store,
    build,
    findings,
    edit,
    [Symbol.asyncDispose]: async () => {
      host[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

const LEAF = '\ttls /etc/fleet/certificates/x/leaf.pem /etc/fleet/certificates/x/leaf.pem'

test('the public side of an Instance is reported on its ingress, each flaw by its code [DOC-017, DOC-018, DOC-022]', async () => {
  await using edge = await openCity('v2.6.2')
  assert.deepEqual(await edge.findings(), [])
  assert.deepEqual(edge.asked, ['instance.public_firewall_mismatch default edge ingress'])
  assert.deepEqual(await edge.findings(edge.city.router), [])

  edge.edit('lb_policy round_robin', 'lb_policy first')
  assert.deepEqual(await edge.findings(), ['instance.public_ingress_mismatch: another site: shop.example'])
  edge.host.write(CADDYFILE, '# a file of somebody else\n')
  assert.deepEqual(await edge.findings(), ['instance.public_ingress_mismatch: not built: shop.example'])

  await edge.build()
  edge.edit(/(# ingress [^]*?bind .*\n)/, `$1${LEAF}\n`)
  assert.deepEqual(await edge.findings(), [
    'instance.public_ingress_mismatch: another site: shop.example',
    'instance.public_tls_mismatch: a file: shop.example',
  ])

  await edge.build()
  await updateRoute(edge.world.store.db, edge.city.id, { edge_step: null })
  edge.host.write(CADDYFILE, '')
  assert.deepEqual(await edge.findings(), [], 'a Route that is not open yet has no public side')
})

for (const [caddy, from, to] of [
  ['v2.6.2', '\torder abort first', '\tauto_https off\n\torder abort first'],
  ['v2.9.1', '\ttls force_automate\n', ''],
] as const)
  test(`a public site whose certificate Caddy ${caddy} does not manage is reported [DOC-019]`, async () => {
    await using edge = await openCity(caddy)
    assert.deepEqual(await edge.findings(), [])
    edge.edit(from, to)
    assert.ok((await edge.findings()).includes('instance.public_tls_mismatch: not requested: shop.example'))
  })

test('a public certificate that is missing, damaged, of another name or in its last sixth is reported [DOC-020]', async () => {
  await using edge = await openCity('v2.6.2')
  const saying = (what: string): readonly string[] => [`instance.public_tls_mismatch: ${what}: shop.example`]
  rmSync(edge.host.at(STORED), { recursive: true })
  assert.deepEqual(await edge.findings(), saying('none'))
  edge.host.write(`${STORED}/acme/shop.example/shop.example.crt`, 'no certificate')
  assert.deepEqual(await edge.findings(), saying('unreadable'))
  await edge.store('acme', ['other.example'])
  assert.deepEqual(await edge.findings(), saying('for other names'))
  await edge.store('acme')
  edge.clock.advance(74 * DAY_MILLISECONDS)
  assert.deepEqual(await edge.findings(), [])
  edge.clock.advance(2 * DAY_MILLISECONDS)
  assert.deepEqual(await edge.findings(), saying('not renewed'))
  rmSync(edge.host.at(STORED), { recursive: true })
  await edge.store('another-authority')
  assert.deepEqual(await edge.findings(), [])
})
