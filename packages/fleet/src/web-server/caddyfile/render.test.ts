import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type CaddySettings, MARKER, renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import type { Site } from '#/web-server/site.ts'

const settingsOf = (major: number, minor: number): CaddySettings => ({
  features: featuresOf({ major, minor }),
  root: '/usr/local/share/ca-certificates/fleet.crt',
})
const golden = (name: string): string =>
  readFileSync(new URL(`../golden/${name}.Caddyfile`, import.meta.url), 'utf8')

const leaf = (scope: string): Site['tls'] => ({
  kind: 'leaf',
  file: `/etc/fleet/certificates/${scope}/leaf.pem`,
})
const tcp = (...addresses: string[]): Site['listener'] => ({ kind: 'tcp', addresses })

const SITES: readonly Site[] = [
  {
    source: 'app-dev',
    scope: 'app-instance-12',
    domain: 'shop.test',
    listener: tcp('10.44.0.3', '192.168.7.3'),
    trusts: ['192.168.7.4', '10.44.0.5', '192.168.7.4'],
    tls: leaf('app-instance-12'),
    handler: {
      kind: 'files',
      root: '/home/fleet/apps/shop/default/public',
      php: '/run/php/fleet-app-instance-12.sock',
      cachesBuilds: false,
      tools: [
        { path: '/__fleet/vite', port: 5173, keepsPrefix: true },
        { path: '/__fleet/annotator', port: 4748, keepsPrefix: false },
      ],
    },
  },
  {
    source: 'app-prod',
    scope: 'app-instance-20',
    domain: 'shop.example',
    listener: { kind: 'unix', path: '/run/fleet-sites/app-instance-20.sock' },
    tls: leaf('app-instance-20'),
    handler: {
      kind: 'files',
      root: '/home/shop one/current/public',
      php: '/run/php/shop.sock',
      isSwitched: true,
      cachesBuilds: true,
    },
  },
  {
    source: 'router',
    scope: 'route-3-router',
    domain: 'shop.example',
    listener: tcp('10.44.0.3', '192.168.7.3'),
    admits: ['private_ranges', '100.64.0.0/10', '10.44.0.0/16'],
    trusts: ['fd00::9'],
    tls: leaf('route-3-router'),
    handler: {
      kind: 'pool',
      targets: [
        { kind: 'unix', path: '/run/fleet-sites/app-instance-20.sock' },
        { kind: 'tcp', address: '192.168.7.4' },
        { kind: 'tcp', address: 'fd00::5' },
      ],
    },
  },
  {
    source: 'custom-proxy',
    scope: 'route-9',
    domain: 'mail.test',
    listener: tcp('10.44.0.3'),
    tls: leaf('route-9'),
    handler: { kind: 'proxy', upstream: 'http://127.0.0.1:8025' },
  },
  {
    source: 'router',
    scope: 'route-4-router',
    domain: 'empty.example',
    listener: tcp('10.44.0.3'),
    tls: leaf('route-4-router'),
    handler: { kind: 'unavailable' },
  },
]
const PUBLIC: Site = {
  source: 'ingress',
  scope: 'route-3-ingress',
  domain: 'shop.example',
  listener: tcp('0.0.0.0', '10.44.0.9'),
  tls: { kind: 'automatic' },
  handler: { kind: 'pool', targets: [{ kind: 'tcp', address: '10.44.0.3' }] },
}

test('one file holds every site, and says first whose file it is [RTX-078, RTX-079, RTX-089]', () => {
  assert.equal(renderCaddyfile(SITES, settingsOf(2, 9)), golden('every-kind'))
  assert.equal(golden('every-kind').split('\n')[0], MARKER)
})

test('an older Caddy gets what it understands', () => {
  assert.equal(renderCaddyfile(SITES, settingsOf(2, 6)), golden('every-kind-2.6'))
})

test('a public certificate is the business of the server: a newer one is reported for one site, an older one for all without a leaf', () => {
  const [newer, older] = [settingsOf(2, 10), settingsOf(2, 6)].map((settings) =>
    renderCaddyfile([PUBLIC], settings),
  )
  assert.match(newer ?? '', /auto_https disable_certs[^]*tls force_automate/)
  assert.doesNotMatch(older ?? '', /disable_certs|\ttls (?!_)\S*auto/)
  assert.match(older ?? '', /https:\/\/shop\.example \{\n\tbind 0\.0\.0\.0 10\.44\.0\.9\n\t@repeatable \{/)
})

const [NEWER, OLDER] = [settingsOf(2, 10), settingsOf(2, 6)]

test('a public site answers at port 80 too, where its certificate is proven, and UDP stays closed [RTX-055, RTX-056]', () => {
  for (const settings of [NEWER, OLDER]) {
    const text = renderCaddyfile([PUBLIC], settings)
    assert.match(
      text,
      /http:\/\/shop\.example \{\n\tbind 0\.0\.0\.0 10\.44\.0\.9\n\tredir https:\/\/\{host\}\{uri\} 308\n\}/,
    )
    assert.match(text, /servers \{\n(?:\t\tmetrics\n)?\t\tprotocols h1 h2\n/)
    assert.match(text, /header_up Host \{host\}/)
    assert.match(text, /tls_server_name shop\.example/)
    assert.doesNotMatch(text, /\.pem/, 'no certificate of the fleet')
  }
  assert.doesNotMatch(renderCaddyfile(SITES, NEWER), /protocols/)
})

test('a site with several addresses redirects at each of them, to those whom it admits; one with a port of its own does not', () => {
  const plain = (settings: CaddySettings): readonly string[] =>
    renderCaddyfile(SITES, settings).match(/^http:[^]*?^\}$/gm) ?? []
  for (const settings of [NEWER, OLDER])
    assert.deepEqual(plain(settings), [
      'http://shop.example {\n\tbind 10.44.0.3 192.168.7.3\n\t@outside not remote_ip private_ranges 100.64.0.0/10 10.44.0.0/16\n\tabort @outside\n\tredir https://{host}{uri} 308\n}',
      'http://shop.test {\n\tbind 10.44.0.3 192.168.7.3\n\tredir https://{host}{uri} 308\n}',
    ])
  assert.deepEqual(plain({ ...NEWER, control: 'unix//run/caddy.sock' }), [])
})

test('the ACME server is named where a public certificate is wanted, and nowhere else [RTX-055]', () => {
  const acmeDirectory = 'https://acme.test/directory'
  assert.match(
    renderCaddyfile([PUBLIC], { ...OLDER, acmeDirectory }),
    /\tacme_ca https:\/\/acme\.test\/directory\n/,
  )
  assert.doesNotMatch(renderCaddyfile([PUBLIC], OLDER), /acme_ca/)
  assert.equal(renderCaddyfile(SITES, { ...OLDER, acmeDirectory }), renderCaddyfile(SITES, OLDER))
})

test('an older Caddy has one certificate for a domain: the public site takes the place of the private ones', () => {
  const router = SITES.find(({ source }) => source === 'router')
  assert.ok(router)
  const everywhere: Site = { ...PUBLIC, listener: tcp('0.0.0.0'), trusts: ['10.44.0.4'] }
  const older = renderCaddyfile([router, everywhere], OLDER)
  assert.match(
    older,
    /https:\/\/shop\.example \{\n\tbind 10\.44\.0\.3 192\.168\.7\.3 0\.0\.0\.0\n\tvars client_address/,
  )
  assert.match(older, /\t\tremote_ip 10\.44\.0\.4 fd00::9\n/, 'whoever led to one of them is believed')
  assert.doesNotMatch(older, /route-3-router/)
  const newer = renderCaddyfile([router, everywhere], NEWER)
  assert.match(newer, /bind 0\.0\.0\.0\n\ttls force_automate/)
  assert.match(newer, /bind 10\.44\.0\.3 192\.168\.7\.3\n(?:\t.*\n)+?\ttls \S+route-3-router/)
})

test('a Router that leads to a public site trusts the authorities of the system [RTX-057]', () => {
  const pool: Site = {
    ...PUBLIC,
    handler: { kind: 'pool', targets: [{ kind: 'tcp', address: '10.44.0.9' }], trust: 'system' },
  }
  for (const settings of [NEWER, OLDER]) assert.doesNotMatch(renderCaddyfile([pool], settings), /tls_trust/)
})

test('the same sites give the same bytes in any order [RTX-076]', () => {
  const settings = settingsOf(2, 9)
  const expected = renderCaddyfile(SITES, settings)
  for (const at of SITES.keys()) {
    const turned = [...SITES.slice(at), ...SITES.slice(0, at)]
    assert.equal(renderCaddyfile(turned, settings), expected)
    assert.equal(renderCaddyfile(turned.toReversed(), settings), expected)
  }
})

test('what a site does not lead to an application asks nobody who the client is [RTX-056]', () => {
  const files: Site['handler'] = { kind: 'files', root: '/srv/docs', cachesBuilds: false }
  for (const handler of [files, { kind: 'unavailable' }, { kind: 'pool', targets: [] }] as const) {
    const site: Site = { ...PUBLIC, handler }
    assert.equal(renderCaddyfile([{ ...site, trusts: ['10.44.0.4'] }], NEWER), renderCaddyfile([site], NEWER))
  }
})

test('nothing of a record breaks out of its word', () => {
  for (const root of [
    '/srv/{$HOME}',
    '/srv/a"b',
    '/srv/a\nrespond "no"',
    '/srv/`id`',
    '/srv/{http.request.host}',
    '',
  ]) {
    const site: Site = { ...PUBLIC, handler: { kind: 'files', root, cachesBuilds: false } }
    assert.throws(() => renderCaddyfile([site], settingsOf(2, 9)), {
      message: /cannot be a word of a Caddyfile/,
    })
  }
})

test('a version is read from what caddy prints', () => {
  const versions = ['2.6.2', 'v2.9.1 h1:abc=', 'v2.10.0', 'unknown', '', 'v2'].map(caddyVersionOf)
  assert.deepEqual(versions, [
    { major: 2, minor: 6 },
    { major: 2, minor: 9 },
    { major: 2, minor: 10 },
    undefined,
    undefined,
    undefined,
  ])
})

test('each version has the features that came with it or before it', () => {
  const feature = {
    isSupported: [2, 9],
    keepsStreams: [2, 7],
    namesTrustPools: [2, 8],
    renamesLogSkip: [2, 8],
    countsHosts: [2, 9],
    forcesAutomation: [2, 9],
    namesBuffers: [2, 7],
    measuresBodies: [2, 9],
  } as const
  for (const [name, [major, minor]] of Object.entries(feature))
    assert.deepEqual(
      [
        { major: major - 1, minor: 99 },
        { major, minor: minor - 1 },
        { major, minor },
        { major, minor: minor + 1 },
        { major: major + 1, minor: 0 },
      ].map((version) => Object.entries(featuresOf(version)).find(([other]) => other === name)?.[1]),
      [false, false, true, true, true],
      name,
    )
})
