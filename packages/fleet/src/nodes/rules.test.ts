import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appsPathRefusal, appsRoot, readAppsPath } from '#/nodes/rules.ts'

const facts = {
  userHome: '/home/fleet',
  protectedPaths: ['/srv/gateway'],
  checkoutPaths: ['/data/apps/shop/default'],
}

const invalid = [
  'data/apps',
  '',
  '/',
  '/data/',
  '/data//apps',
  '/data/./apps',
  '/data/../apps',
  '/data/..',
  '/data/a\nb',
  '/data/a\u0000b',
  '/data/a\u0085b',
  `/${'a'.repeat(4095)}`,
  '/data/\ud800',
  '/data/a"b',
  '/data/a\\b',
  '/data/`a`',
  '/data/{a',
  '/data/a}',
  '/data/$a',
]
const protectedPaths = [
  '/home/fleet',
  '/home',
  '/boot',
  '/dev/shm',
  '/etc/apps',
  '/proc/1',
  '/run/apps',
  '/sys/apps',
  '/usr/local/apps',
  '/var/www',
  '/var/www/apps',
  '/var',
  '/opt/orbit/apps',
  '/opt',
  '/opt/fleet/apps',
  '/var/log/fleet',
  '/var/lib/fleet',
  '/srv/gateway/apps',
  '/srv',
  '/home/fleet/.ssh',
  '/home/fleet/.cache/apps',
]
const managed = ['/data/apps/shop/default', '/data/apps/shop/default/sub']
const usable = [
  '/data/apps',
  '/data/apps/shop',
  '/data/apps/shop/default2',
  '/home/fleet/apps',
  '/home/fleet/repo/.trees',
  '/home/fleet2',
  '/home/other/.apps',
  '/etcetera',
  '/data/with space',
  "/data/%h ~ #*it's",
  '/data/ünï',
]

for (const path of invalid) {
  test(`the apps path ${JSON.stringify(path.slice(0, 20))} is not absolute and normalized [NODE-106]`, () => {
    assert.equal(appsPathRefusal(path, facts), 'node.settings_path_invalid')
  })
}
for (const path of protectedPaths) {
  test(`the apps path ${path} lies in a protected place [NODE-107]`, () => {
    assert.equal(appsPathRefusal(path, facts), 'node.settings_path_protected')
  })
}
for (const path of managed) {
  test(`the apps path ${path} lies in a checkout [NODE-108]`, () => {
    assert.equal(appsPathRefusal(path, facts), 'node.settings_path_managed')
  })
}
for (const path of usable) {
  test(`the apps path ${path} may be used [NODE-106, NODE-107, NODE-108]`, () => {
    assert.equal(appsPathRefusal(path, facts), undefined)
  })
}

test("a home inside the gateway's own home may hold apps; the rest of the gateway's home may not [NODE-107]", () => {
  const embedded = { userHome: '/srv/gateway/nodes/web', protectedPaths: ['/srv/gateway'], checkoutPaths: [] }
  assert.equal(appsPathRefusal('/srv/gateway/nodes/web/code', embedded), undefined)
  for (const path of ['/srv/gateway/nodes/web', '/srv/gateway/nodes/other/code', '/srv/gateway/ca', '/srv'])
    assert.equal(appsPathRefusal(path, embedded), 'node.settings_path_protected', path)
  const inside = { ...embedded, protectedPaths: ['/srv/gateway/nodes/web/gateway'] }
  assert.equal(appsPathRefusal('/srv/gateway/nodes/web/gateway/apps', inside), 'node.settings_path_protected')
})

test('the only setting is the path of apps; null clears it at both levels [NODE-103]', () => {
  assert.equal(readAppsPath({ apps: { path: '/data' } }), '/data')
  assert.equal(readAppsPath({ apps: { path: null } }), null)
  assert.equal(readAppsPath({ apps: null }), null)
  const other = [
    undefined,
    null,
    'apps',
    [],
    {},
    { apps: {} },
    { apps: [] },
    { apps: { path: 7 } },
    { apps: '/data' },
  ]
  const more = [{ apps: null, other: 1 }, { apps: { path: '/data', mode: 1 } }]
  for (const settings of [...other, ...more]) {
    assert.equal(readAppsPath(settings), undefined, JSON.stringify(settings))
  }
})

test('without a stored path the apps root is computed from the home [NODE-104]', () => {
  assert.equal(appsRoot({ apps_path: null, user_home: '/home/fleet' }), '/home/fleet/apps')
  assert.equal(appsRoot({ apps_path: null, user_home: '/' }), '/apps')
  assert.equal(appsRoot({ apps_path: '/data', user_home: '/home/fleet' }), '/data')
})
