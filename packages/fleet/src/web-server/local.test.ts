import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { buildLocal, type LocalWebServers } from '#/web-server/local.ts'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { featuresOf } from '#/web-server/caddyfile/version.ts'
import { site } from '#/web-server/world.test.ts'

const NODE = nodeRecord({ wireguard_ip: '127.44.0.11' })
const loading = (load: LocalWebServers['load']): LocalWebServers => ({
  version: 'v2.6.2 h1:abc=',
  suffix: 'fleet',
  root: '/fleet/ca/root.crt',
  certificatesOf: (address) => (address === NODE.wireguard_ip ? '/fleet/web/node-1' : undefined),
  portOf: (address) => (address === NODE.wireguard_ip ? 8540 : undefined),
  load,
  reload: async () => undefined,
})

test('an embedded Node gets the file of a machine, but for address, port, folder of the certificates and what belongs to a service', async () => {
  const sites = [site('shop.test'), site('mail.test')]
  const loaded: string[] = []
  const local = loading(async (_address, text) => {
    loaded.push(text)
    return 'applied'
  })
  assert.equal(await buildLocal(local, NODE, { sites, publisher: 'app-dev' }), 'applied')
  const settings = { features: featuresOf({ major: 2, minor: 6 }), root: local.root }
  const onMachine = renderCaddyfile(sites, settings)
    .replaceAll(/^(https:\/\/\S+) \{$/gm, '$1:8540 {')
    .replaceAll('/etc/fleet/certificates/', '/fleet/web/node-1/')
    .replace('\tauto_https disable_certs\n', '\tadmin unix/control.sock\n\tauto_https off\n')
  assert.deepEqual(loaded, [onMachine])
})

test('what Caddy or the file refuses is the failure of a build with its stage; a Node with a machine of its own is not for it', async () => {
  const refused = loading(() => Promise.reject(new Error('port 8540 is taken')))
  const given = { sites: [site('shop.test')], publisher: 'app-dev' } as const
  const failed = (stage: string, message: string) => ({
    code: 'app-dev.caddy_config_failed',
    details: { node: { id: NODE.id, name: NODE.name }, stage, message },
  })
  await assert.rejects(buildLocal(refused, NODE, given), failed('reload', 'port 8540 is taken'))
  const twice = { ...given, sites: [site('shop.test', 'route-1'), site('shop.test', 'route-2')] }
  await assert.rejects(
    buildLocal(refused, NODE, twice),
    failed(
      'render',
      'custom-proxy route-1 and custom-proxy route-2 both serve shop.test at 127.0.0.1 port 8540',
    ),
  )
  assert.equal(await buildLocal(refused, nodeRecord({ wireguard_ip: '10.44.0.7' }), given), undefined)
})
